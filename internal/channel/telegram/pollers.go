package telegram

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// pollers knows the tokens that are in use in this process. Telegram answers
// two who poll with the same one with 409, in turns.
type pollers struct {
	mu   sync.Mutex
	busy map[string]holder // by token
}

// holder is the account that uses a token, until done is closed.
type holder struct {
	account id.Account
	done    chan struct{}
}

// take takes token for account until release is called. An earlier connection
// of the same account is waited for; another account's is an error, as the two
// would never both work.
func (p *pollers) take(ctx context.Context, token string, account id.Account) (release func(), err error) {
	for {
		p.mu.Lock()
		other, taken := p.busy[token]
		if !taken {
			done := make(chan struct{})
			p.busy[token] = holder{account, done}
			p.mu.Unlock()
			return func() {
				p.mu.Lock()
				delete(p.busy, token)
				p.mu.Unlock()
				close(done)
			}, nil
		}
		p.mu.Unlock()
		if other.account != account {
			return nil, sameBot(other.account, account)
		}
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func sameBot(first, second id.Account) error {
	first, second = cmp.Or(first, id.DefaultAccount), cmp.Or(second, id.DefaultAccount)
	return fault.New(fault.Conflict, "telegram.Run", fmt.Sprintf(
		"the accounts %q and %q have the same bot token, and a bot has one reader: make another bot with @BotFather (/newbot), then openclaw channels add --channel telegram --account %s --token <its token>, or remove one of the two",
		first, second, second))
}
