//go:build unix

package docs_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// curl is as much of curl as the pages use, for hosts that have none.
func curl(args []string, out, errs io.Writer) int {
	method, url, body, format := "", "", "", ""
	head, include := http.Header{}, false
	for i := 0; i < len(args); i++ {
		value := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		switch a := args[i]; a {
		case "-s", "-N", "-sN":
		case "-i", "-si":
			include = true
		case "-X":
			method = value()
		case "-d":
			body = value()
		case "-w":
			format = value()
		case "-H":
			k, v, _ := strings.Cut(value(), ":")
			head.Set(k, strings.TrimSpace(v))
		default:
			if strings.HasPrefix(a, "-") {
				fmt.Fprintf(errs, "curl: %s isn't known here: add it to docs/curl_test.go\n", a)
				return 2
			}
			url = a
		}
	}
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	if method == "" {
		method = http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(errs, "curl:", err)
		return 3
	}
	req.Header = head
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Fprintln(errs, "curl:", err)
		return 7
	}
	defer resp.Body.Close()
	if include {
		fmt.Fprintf(out, "%s %s\r\n", resp.Proto, resp.Status)
		_ = resp.Header.Write(out)
		fmt.Fprint(out, "\r\n")
	}
	if _, err := io.Copy(out, resp.Body); err != nil {
		fmt.Fprintln(errs, "curl:", err)
		return 18
	}
	fmt.Fprint(out, strings.NewReplacer(`\n`, "\n", "%{http_code}", fmt.Sprint(resp.StatusCode)).Replace(format))
	return 0
}
