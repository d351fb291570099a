package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"sort"
	"strings"
)

// A fileRequest is a request to a file (§4.3) and who signs it.
type fileRequest struct {
	method  string
	bucket  string
	key     string
	headers []pair
	keys    keyPair
	words   dialect
}

// A signedFile holds the stages of §5.2.
type signedFile struct {
	canonicalHeaders  string
	canonicalResource string
	stringToSign      string
	digest            []byte
	signature         string
}

func (s signedFile) trace() stages {
	return stages{
		"canonicalHeaders":  s.canonicalHeaders,
		"canonicalResource": s.canonicalResource,
		"stringToSign":      s.stringToSign,
		"digest":            hex.EncodeToString(s.digest),
		"signature":         s.signature,
	}
}

var (
	token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// Consecutive folds become one space (RFC 2616 §4.2).
	fold = regexp.MustCompile(`[ \t]*(?:\r?\n[ \t]+)+`)
)

// Strings.TrimSpace and unicode.IsSpace would take U+00A0 along.
const blanks = " \t"

// sign is §5.2.
func (r fileRequest) sign() (signedFile, error) {
	return r.signAs(positional, "")
}

// signForm takes the type from the field, never from the header, and
// Content-MD5 from the field if there is no such header (§4.3).
func (r fileRequest) signForm(fields []pair) (signedFile, error) {
	r.method = "POST"
	return r.signAs(func(headers []pair, name string) (string, error) {
		_, inHeaders := find(headers, strings.ToLower(name))
		if name == "Date" || name == "Content-MD5" && inHeaders {
			return positional(headers, name)
		}
		if count(fields, name) > 1 {
			return "", refuse("header-repeated", "form field %s appears twice; one value is signed", name)
		}
		value, _ := find(fields, name)
		return headerValue(pair{name, value})
	}, "")
}

// signWithPolicy signs the policy as it is sent, after everything else.
func (r fileRequest) signWithPolicy(policy string) (signedFile, error) {
	return r.signAs(positional, policy)
}

// presign signs Expires in place of Date and leaves the two other lines empty (§5.4).
func (r fileRequest) presign(expires string) (signedFile, error) {
	return r.signAs(func(_ []pair, name string) (string, error) {
		if name == "Date" {
			return expires, nil
		}
		return "", nil
	}, "")
}

// signAs signs with the positional values that the form of the request has.
func (r fileRequest) signAs(positionalValue func(headers []pair, name string) (string, error), suffix string) (signedFile, error) {
	if !token.MatchString(r.method) {
		return signedFile{}, refuse("method", "method %q is not a token (RFC 9110 §5.6.2)", r.method)
	}
	if r.bucket == "" || strings.Contains(r.bucket, "/") {
		return signedFile{}, refuse("bucket", "bucket %q gives no host", r.bucket)
	}
	headers, err := normalized(r.headers)
	if err != nil {
		return signedFile{}, err
	}
	text := strings.ToUpper(r.method) + "\n"
	for _, name := range []string{"Content-MD5", "Content-Type", "Date"} {
		value, err := positionalValue(headers, name)
		if err != nil {
			return signedFile{}, err
		}
		text += value + "\n"
	}
	extra, resource := r.canonicalHeaders(headers), "/"+r.bucket+"/"+r.key
	text += extra + resource + suffix
	mac := hmac.New(sha1.New, []byte(r.keys.PrivateKey))
	mac.Write([]byte(text))
	digest := mac.Sum(nil)
	return signedFile{extra, resource, text, digest, base64.StdEncoding.EncodeToString(digest)}, nil
}

// normalized gives names in lower case (step 1) and values without folds and
// outer whitespace (steps 4 and 5), or refuses headers that HTTP cannot send.
func normalized(given []pair) ([]pair, error) {
	headers := make([]pair, len(given))
	for i, header := range given {
		name := strings.TrimRight(header[0], blanks)
		if !token.MatchString(name) {
			return nil, refuse("header-name", "header name %q is not a token (RFC 9110 §5.6.2)", header[0])
		}
		value, err := headerValue(header)
		if err != nil {
			return nil, err
		}
		headers[i] = pair{strings.ToLower(name), value}
	}
	return headers, nil
}

func headerValue(header pair) (string, error) {
	value := strings.Trim(fold.ReplaceAllLiteralString(header[1], " "), blanks)
	if strings.ContainsAny(value, "\r\n\x00") {
		return "", refuse("header-value", "header %s has a NUL, or a line break that is not a fold", header[0])
	}
	return value, nil
}

// positional gives the value of a header that may appear once.
func positional(headers []pair, name string) (string, error) {
	name = strings.ToLower(name)
	if n := count(headers, name); n > 1 {
		return "", refuse("header-repeated", "header %s appears %d times; one value is signed", name, n)
	}
	value, _ := find(headers, name)
	return value, nil
}

// canonicalHeaders builds the signed form of the extra headers.
func (r fileRequest) canonicalHeaders(headers []pair) string {
	prefix := strings.ToLower(r.words.HeaderPrefix)
	var extra []pair
	for _, header := range headers {
		if strings.HasPrefix(header[0], prefix) {
			extra = append(extra, header)
		}
	}
	// Step 2; the sort is stable, so values keep the order of the request.
	sort.SliceStable(extra, func(i, j int) bool { return extra[i][0] < extra[j][0] })
	var text strings.Builder
	for i, header := range extra {
		if i > 0 && header[0] == extra[i-1][0] { // step 3
			text.WriteString("," + header[1])
			continue
		}
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString(header[0] + ":" + header[1])
	}
	if len(extra) > 0 { // step 6
		text.WriteString("\n")
	}
	return text.String()
}

// authorization is the value of the header or of the form field.
func (r fileRequest) authorization(signed signedFile) string {
	return r.words.Scheme + " " + r.keys.PublicKey + ":" + signed.signature
}

// url is the pre-signed URL (§5.4); the slashes of the key make its path.
func (r fileRequest) url(scheme, fileHost, expires string, signed signedFile) string {
	return scheme + "://" + r.bucket + "." + fileHost + "/" + escaped(r.key, unreserved+"/") +
		"?" + r.words.PublicKeyParameter + "=" + urlEncode(r.keys.PublicKey) +
		"&Expires=" + urlEncode(expires) +
		"&Signature=" + urlEncode(signed.signature)
}

// uploadHit is the target of an instant upload.
func uploadHit(etag, key, size string) string {
	return "/uploadhit?Hash=" + urlEncode(etag) + "&FileName=" + urlEncode(key) + "&FileSize=" + urlEncode(size)
}

// find gives the first value of a name.
func find(pairs []pair, name string) (string, bool) {
	for _, one := range pairs {
		if one[0] == name {
			return one[1], true
		}
	}
	return "", false
}

func count(pairs []pair, name string) int {
	n := 0
	for _, one := range pairs {
		if one[0] == name {
			n++
		}
	}
	return n
}
