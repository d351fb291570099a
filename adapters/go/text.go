package main

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

// urlEncode is §5.3; url.QueryEscape writes a space as "+".
func urlEncode(text string) string { return escaped(text, unreserved) }

func escaped(text, bare string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(bare, text[i]) >= 0 {
			out.WriteByte(text[i])
		} else {
			fmt.Fprintf(&out, "%%%02X", text[i])
		}
	}
	return out.String()
}

// urlDecoded keeps "+", and requires two hexadecimal digits after each percent sign.
func urlDecoded(text string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out.WriteByte(text[i])
			continue
		}
		if i+3 > len(text) {
			return "", fmt.Errorf("%q ends inside an escape", text)
		}
		code, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("%q is not an escape", text[i:i+3])
		}
		out.WriteByte(byte(code))
		i += 2
	}
	if !utf8.ValidString(out.String()) {
		return "", fmt.Errorf("%q has escapes that are not UTF-8", text)
	}
	return out.String(), nil
}

// password is the value of the parameter Password (§4.2).
func password(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// policy is compact JSON in URL-safe Base64.
func policy(members []pair) string {
	texts := make([]string, len(members))
	for i, member := range members {
		texts[i] = jsonText(member[0]) + ":" + jsonText(member[1])
	}
	return base64.URLEncoding.EncodeToString([]byte("{" + strings.Join(texts, ",") + "}"))
}

// jsonText escapes what JSON wants escaped and nothing else; encoding/json
// would escape U+2028 and U+2029 too.
func jsonText(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c >= ' ':
			out.WriteByte(c)
		case strings.IndexByte("\b\t\n\f\r", c) >= 0:
			out.WriteByte('\\')
			out.WriteByte("btn_fr"[c-'\b'])
		default:
			fmt.Fprintf(&out, `\u%04x`, c)
		}
	}
	out.WriteByte('"')
	return out.String()
}
