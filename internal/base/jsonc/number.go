package jsonc

import (
	"math/big"
	"strconv"
	"strings"
)

// number reads a number and returns its text as plain JSON would write it,
// digit for digit where it is an integer, or NaN, Infinity, -Infinity.
func (p *parser) number() string {
	neg := false
	if c, _ := p.peek(); c == '+' || c == '-' {
		neg = c == '-'
		p.off++
	}
	sign := ""
	if neg {
		sign = "-"
	}
	start := p.off
	switch c, _ := p.peek(); {
	case c == 'I' && p.literal("Infinity"):
		return sign + "Infinity"
	case c == 'N' && p.literal("NaN"):
		return "NaN"
	case c == '0' && p.off+1 < len(p.src) && p.src[p.off+1]|0x20 == 'x':
		return p.hexNumber(sign)
	case c == '0':
		p.off++
	case c == '.':
	case c >= '1' && c <= '9':
		p.digits()
	default:
		p.invalid()
		return ""
	}
	whole := string(p.src[start:p.off])
	frac, exp := p.fraction(whole == ""), ""
	if c, _ := p.peek(); p.err == nil && (c == 'e' || c == 'E') {
		exp = p.exponent()
	}
	if p.err != nil {
		return ""
	}
	return canonical(sign, whole, frac, exp)
}

func (p *parser) digits() {
	for p.off < len(p.src) && p.src[p.off] >= '0' && p.src[p.off] <= '9' {
		p.off++
	}
}

func (p *parser) hexNumber(sign string) string {
	p.off += 2
	start := p.off
	for {
		if c, _ := p.peek(); hexDigit(c) < 0 {
			break
		}
		p.off++
	}
	if p.off == start {
		p.invalid()
		return ""
	}
	n, _ := new(big.Int).SetString(string(p.src[start:p.off]), 16)
	return sign + n.String()
}

func (p *parser) fraction(required bool) string {
	if c, _ := p.peek(); c != '.' {
		return ""
	}
	p.off++
	start := p.off
	p.digits()
	if required && p.off == start {
		p.invalid()
	}
	return string(p.src[start:min(p.off, len(p.src))])
}

func (p *parser) exponent() string {
	p.off++
	start := p.off
	if c, _ := p.peek(); c == '+' || c == '-' {
		p.off++
	}
	if c, _ := p.peek(); c < '0' || c > '9' {
		p.invalid()
		return ""
	}
	p.digits()
	return string(p.src[start:p.off])
}

// exactDigits is how long an integer may get when an exponent is written out.
const exactDigits = 40

func canonical(sign, whole, frac, exp string) string {
	frac = strings.TrimRight(frac, "0")
	if whole == "" {
		whole = "0"
	}
	e := 0
	if exp != "" {
		var err error
		if e, err = strconv.Atoi(exp); err != nil {
			e = 1 << 20 // far outside of a float: Infinity or 0 below
			if exp[0] == '-' {
				e = -e
			}
		}
	}
	if e >= len(frac) && len(whole)+e <= exactDigits || e == 0 && frac == "" {
		n := strings.TrimLeft(whole+frac+strings.Repeat("0", e-len(frac)), "0")
		if n == "" {
			n = "0"
		}
		return sign + n
	}
	if e == 0 {
		return sign + whole + "." + frac
	}
	f, _ := strconv.ParseFloat(sign+whole+"."+frac+"0e"+strconv.Itoa(e), 64)
	return FormatFloat(f)
}

// FormatFloat writes f as JavaScript does.
func FormatFloat(f float64) string {
	abs := f
	if abs < 0 {
		abs = -abs
	}
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		switch s {
		case "+Inf":
			return "Infinity"
		case "-Inf":
			return "-Infinity"
		}
		mant, exp, _ := strings.Cut(s, "e")
		return mant + "e" + exp[:1] + strings.TrimLeft(exp[1:], "0")
	}
	if f != f {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Float returns the number as a float64, as JavaScript would read it.
func (n *Node) Float() float64 {
	f, _ := strconv.ParseFloat(n.Text, 64) // an overflow is an infinity, as in JavaScript
	return f
}
