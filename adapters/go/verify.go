package main

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// checked compares the whole texts: a digest has one correct notation.
func checked(given, computed string) error {
	if hmac.Equal([]byte(given), []byte(computed)) {
		return nil
	}
	return refuse("signature-mismatch", "the signature %q is not that of the request", given)
}

func ofAccount(publicKey string, keys keyPair) error {
	if publicKey == keys.PublicKey {
		return nil
	}
	return refuse("public-key-unknown", "no account has the public key %q", publicKey)
}

var credentials = regexp.MustCompile(`^([^\s:]+):([^\s:]+)(?::([^\s:]+))?$`)

// verifyAuthorization reads the one header of the form "scheme, one space,
// public key, colon, signature", with a policy after another colon (§5.2).
func verifyAuthorization(r fileRequest) (signedFile, error) {
	headers, err := normalized(r.headers)
	if err != nil {
		return signedFile{}, err
	}
	value, there := find(headers, "authorization")
	if !there {
		return signedFile{}, refuse("authorization-missing", "the request has no header Authorization")
	}
	rest, ours := strings.CutPrefix(value, r.words.Scheme+" ")
	found := credentials.FindStringSubmatch(rest)
	if !ours || found == nil || count(headers, "authorization") > 1 {
		return signedFile{}, refuse("authorization-malformed", "Authorization is not once %s <public key>:<signature>", r.words.Scheme)
	}
	if policy := found[3]; policy != "" && !(isUpload(r.method) && isPolicy(policy)) {
		return signedFile{}, refuse("authorization-malformed", "%q is not the callback policy of an upload", policy)
	}
	if err := ofAccount(found[1], r.keys); err != nil {
		return signedFile{}, err
	}
	signed, err := r.signWithPolicy(found[3])
	if err != nil {
		return signed, err
	}
	return signed, checked(found[2], signed.signature)
}

func isUpload(method string) bool {
	return strings.EqualFold(method, "PUT") || strings.EqualFold(method, "POST")
}

// isPolicy reports whether a text is Base64 of a JSON object. Without this
// check, the end of another key passes as a policy.
func isPolicy(text string) bool {
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	decoded, err := base64.RawStdEncoding.DecodeString(standard)
	if err != nil || !utf8.Valid(decoded) {
		return false
	}
	var members map[string]any
	return json.Unmarshal(decoded, &members) == nil && members != nil
}

var (
	// The path may be empty; a fragment is not sent.
	urlParts = regexp.MustCompile(`^(?i:https?)://([^/?#@]+)(/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$`)
	seconds  = regexp.MustCompile(`^[0-9]{1,15}$`)
)

// verifyURL verifies a pre-signed URL (§5.4).
func verifyURL(in input, keys keyPair, words dialect) (signedFile, error) {
	r := fileRequest{method: in.Method, headers: in.Headers, keys: keys, words: words}
	found := urlParts.FindStringSubmatch(in.URL)
	if found == nil {
		return signedFile{}, refuse("url-malformed", "%q is not the URL of a file", in.URL)
	}
	bucket, ours := strings.CutSuffix(strings.ToLower(found[1]), "."+strings.ToLower(in.FileHost))
	if !ours || bucket == "" {
		return signedFile{}, refuse("url-malformed", "host %q is not <bucket>.%s", found[1], in.FileHost)
	}
	path, err := urlDecoded(found[2])
	if err != nil {
		return signedFile{}, refuse("url-malformed", "the path %v", err)
	}
	r.bucket, r.key = bucket, strings.TrimPrefix(path, "/")
	query, err := queryPairs(found[3])
	if err != nil {
		return signedFile{}, err
	}
	given, err := only(query, "Signature", words.PublicKeyParameter, "Expires")
	if err != nil {
		return signedFile{}, err
	}
	signature, publicKey, expires := given[0], given[1], given[2]
	// A server looks at the expiry before it looks at the signature.
	if !seconds.MatchString(expires) {
		return signedFile{}, refuse("expires-malformed", "Expires %q is not a number of seconds", expires)
	}
	if later(in.Now, expires) {
		return signedFile{}, refuse("expired", "Expires %s is past, it is %s", expires, in.Now)
	}
	if err := ofAccount(publicKey, keys); err != nil {
		return signedFile{}, err
	}
	signed, err := r.presign(expires)
	if err != nil {
		return signed, err
	}
	return signed, checked(signature, signed.signature)
}

// only gives the values of parameters that have to be there once, Signature first.
func only(query []pair, names ...string) ([]string, error) {
	values := make([]string, len(names))
	for i, name := range names {
		value, there := find(query, name)
		switch {
		case count(query, name) > 1:
			return nil, refuse("parameter-repeated", "parameter %s appears twice", name)
		case name == "Signature" && value == "":
			return nil, refuse("signature-missing", "there is no Signature")
		case !there:
			return nil, refuse("parameter-missing", "there is no parameter %s", name)
		}
		values[i] = value
	}
	return values, nil
}

// later compares decimal counts of any length.
func later(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

// queryPairs splits before it decodes; empty pieces, as in "?&a=b", are nothing.
func queryPairs(query string) ([]pair, error) {
	var pairs []pair
	for _, piece := range strings.Split(query, "&") {
		if piece == "" {
			continue
		}
		name, value, _ := strings.Cut(piece, "=")
		var one pair
		for i, text := range []string{name, value} {
			var err error
			if one[i], err = urlDecoded(text); err != nil {
				return nil, refuse("query-malformed", "the query %v", err)
			}
		}
		pairs = append(pairs, one)
	}
	return pairs, nil
}

func verifyQuery(query string, keys keyPair) (signedAction, error) {
	pairs, err := queryPairs(query)
	if err != nil {
		return signedAction{}, err
	}
	parameters := make([]parameter, len(pairs))
	for i, one := range pairs {
		parameters[i] = parameter{one[0], one[1]}
	}
	return verifyAction(parameters, keys)
}

// verifyAction wants Signature, Action and PublicKey once, as texts.
func verifyAction(parameters []parameter, keys keyPair) (signedAction, error) {
	var texts []pair
	for _, one := range parameters {
		name := one[0].(string)
		text, isText := one[1].(string)
		if isText || name == "Signature" {
			texts = append(texts, pair{name, text})
		}
	}
	given, err := only(texts, "Signature", "Action", "PublicKey")
	if err != nil {
		return signedAction{}, err
	}
	if err := ofAccount(given[2], keys); err != nil {
		return signedAction{}, err
	}
	signed, err := signAction(parameters, keys)
	if err != nil {
		return signed, err
	}
	return signed, checked(given[0], signed.signature)
}

// verifyJSON reads the body token by token: a map would lose repeated members,
// float64 digits.
func verifyJSON(body string, keys keyPair) (signedAction, error) {
	malformed := func(why string) (signedAction, error) {
		return signedAction{}, refuse("body-malformed", "the body %s", why)
	}
	// Tokens alone would let some wrong commas pass.
	if !json.Valid([]byte(body)) || hasHalfPair([]byte(body)) {
		return malformed("is not JSON")
	}
	tokens := json.NewDecoder(strings.NewReader(body))
	tokens.UseNumber()
	tagged, ok := readValue(tokens).(map[string]any)
	if !ok || tagged["object"] == nil {
		return malformed("is not an object")
	}
	var parameters []parameter
	for _, member := range tagged["object"].([]any) {
		member := member.([]any)
		parameters = append(parameters, parameter{member[0], member[1]})
	}
	signed, err := verifyAction(parameters, keys)
	var no *refusal
	if errors.As(err, &no) && (no.Reason == "number" || no.Reason == "parameter-null") {
		return malformed("has no text to sign: " + no.Message)
	}
	return signed, err
}

// readValue reads valid JSON into the values that the protocol has.
func readValue(tokens *json.Decoder) any {
	token, err := tokens.Token()
	if err != nil {
		panic(err)
	}
	switch token := token.(type) {
	case json.Number:
		return map[string]any{"number": token.String()}
	case json.Delim:
		tag, items := "list", []any{}
		if token == '{' {
			tag = "object"
		}
		for tokens.More() {
			item := readValue(tokens)
			if tag == "object" {
				item = []any{item, readValue(tokens)}
			}
			items = append(items, item)
		}
		tokens.Token() // the one that closes it
		return map[string]any{tag: items}
	}
	return token
}
