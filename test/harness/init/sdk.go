package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

var (
	token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	fold  = regexp.MustCompile(`[ \t]*(?:\r?\n[ \t]+)+`)
)

// sign stands for an SDK: it signs a request by §5.2 and refuses what HTTP
// cannot carry. It is an untidy one: it prints.
func sign(in input, keys keyPair, words dialect) (string, error) {
	fmt.Println("a line of the SDK")
	if !token.MatchString(in.Method) {
		return "", refuse("method", "no")
	}
	if in.Bucket == "" || strings.Contains(in.Bucket, "/") {
		return "", refuse("bucket", "no")
	}
	values := map[string][]string{}
	for _, header := range in.Headers {
		name, value := strings.Trim(header[0], " \t"), fold.ReplaceAllString(header[1], " ")
		if !token.MatchString(name) {
			return "", refuse("header-name", "no")
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return "", refuse("header-value", "no")
		}
		name = strings.ToLower(name)
		values[name] = append(values[name], strings.Trim(value, " \t"))
	}
	text := strings.ToUpper(in.Method) + "\n"
	for _, name := range []string{"content-md5", "content-type", "date"} {
		text += strings.Join(values[name], ",") + "\n"
	}
	var extra []string
	for name := range values {
		if strings.HasPrefix(name, strings.ToLower(words.HeaderPrefix)) {
			extra = append(extra, name)
		}
	}
	sort.Strings(extra)
	for _, name := range extra {
		text += name + ":" + strings.Join(values[name], ",") + "\n"
	}
	mac := hmac.New(sha1.New, []byte(keys.PrivateKey))
	mac.Write([]byte(text + "/" + in.Bucket + "/" + in.Key))
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return words.Scheme + " " + keys.PublicKey + ":" + signature, nil
}
