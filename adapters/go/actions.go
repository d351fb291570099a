package main

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// A flatParameter is a parameter as it is sent: its text, as the query has it
// and the signature covers it, and how JSON writes it.
type flatParameter struct{ name, text, json string }

// A signedAction holds the stages of §5.1.
type signedAction struct {
	parameters   []flatParameter
	sorted       []pair
	stringToSign string
	signature    string
}

func (s signedAction) trace() stages {
	return stages{"sortedParameters": s.sorted, "stringToSign": s.stringToSign, "signature": s.signature}
}

// signAction signs the given parameters.
func signAction(given []parameter, keys keyPair) (signedAction, error) {
	var flat []flatParameter
	for _, one := range given {
		name := one[0].(string)
		if name == "Signature" { // R2
			continue
		}
		var err error
		if flat, err = flattened(flat, name, one[1]); err != nil {
			return signedAction{}, err
		}
	}
	sorted := make([]pair, len(flat))
	for i, one := range flat {
		sorted[i] = pair{one.name, one.text}
	}
	// Step 2. Go compares strings by their bytes.
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i][0] < sorted[j][0] })
	var text strings.Builder
	for i, one := range sorted { // step 3
		if i > 0 && one[0] == sorted[i-1][0] {
			return signedAction{}, refuse("parameter-repeated", "parameter %q appears twice; the signed parameters are a set", one[0])
		}
		text.WriteString(one[0] + one[1])
	}
	text.WriteString(keys.PrivateKey) // step 4
	digest := sha1.Sum([]byte(text.String()))
	return signedAction{flat, sorted, text.String(), hex.EncodeToString(digest[:])}, nil
}

// signRequest signs what can be sent: a request names its operation and its account (§4.2).
func signRequest(given []parameter, keys keyPair) (signedAction, error) {
	signed, err := signAction(given, keys)
	if err != nil {
		return signed, err
	}
	return signed, signed.require("Action", "PublicKey")
}

// signBucketRequest also requires the parameters of CreateBucket (§4.1).
func signBucketRequest(given []parameter, keys keyPair) (signedAction, error) {
	signed, err := signRequest(given, keys)
	if err == nil && signed.has("Action", "CreateBucket") {
		err = signed.require("Type", "BucketName")
	}
	return signed, err
}

func (s signedAction) has(name, text string) bool {
	for _, one := range s.sorted {
		if one == (pair{name, text}) {
			return true
		}
	}
	return false
}

func (s signedAction) require(names ...string) error {
	for _, name := range names {
		i := sort.Search(len(s.sorted), func(i int) bool { return s.sorted[i][0] >= name })
		if i == len(s.sorted) || s.sorted[i][0] != name {
			return refuse("parameter-missing", "the request lacks the parameter %s", name)
		}
	}
	return nil
}

// body is the JSON form (§4.2).
func (s signedAction) body() string {
	var members strings.Builder
	for _, one := range s.parameters {
		members.WriteString(jsonText(one.name) + ":" + one.json + ",")
	}
	return "{" + members.String() + `"Signature":"` + s.signature + `"}`
}

// query is the query form, Signature last (§4.2).
func (s signedAction) query() string {
	var pairs strings.Builder
	for _, one := range s.parameters {
		pairs.WriteString(urlEncode(one.name) + "=" + urlEncode(one.text) + "&")
	}
	return pairs.String() + "Signature=" + s.signature
}

// flattened adds the parameters that a value stands for: Name.0 and Name.Key,
// nothing for an empty list. It refuses a null, which has no text.
func flattened(flat []flatParameter, name string, value any) ([]flatParameter, error) {
	switch value := value.(type) {
	case string:
		return append(flat, flatParameter{name, value, jsonText(value)}), nil
	case bool:
		word := strconv.FormatBool(value)
		return append(flat, flatParameter{name, word, word}), nil
	case nil:
		return nil, refuse("parameter-null", "parameter %q is null, which has no text", name)
	case map[string]any:
		return flattenedTag(flat, name, value)
	}
	return nil, fmt.Errorf("parameter %q has a value that the protocol does not have", name)
}

func flattenedTag(flat []flatParameter, name string, tagged map[string]any) ([]flatParameter, error) {
	var err error
	for tag, value := range tagged { // there is one
		switch tag {
		case "number":
			var text string
			if text, err = plainDecimal(value.(string)); err != nil {
				return nil, err
			}
			flat = append(flat, flatParameter{name, text, text})
		case "list":
			for i, item := range value.([]any) {
				if flat, err = flattened(flat, name+"."+strconv.Itoa(i), item); err != nil {
					return nil, err
				}
			}
		case "object":
			for _, member := range value.([]any) {
				member := member.([]any)
				if flat, err = flattened(flat, name+"."+member[0].(string), member[1]); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fmt.Errorf("parameter %q has the tag %q, which the protocol does not have", name, tag)
		}
	}
	return flat, nil
}

var number = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// No number that means anything has more digits than this when it is written out.
const maxExponent = 10_000

// plainDecimal writes a JSON number without exponent, without trailing zeros after
// the point and without the sign of a zero. It works on the digits, so none is lost.
func plainDecimal(written string) (string, error) {
	found := number.FindStringSubmatch(written)
	if found == nil {
		return "", refuse("number", "number %q has no plain decimal text", written)
	}
	sign, digits := found[1], found[2]+found[3]
	if strings.Trim(digits, "0") == "" {
		return "0", nil
	}
	exponent := 0
	if found[4] != "" {
		var err error
		if exponent, err = strconv.Atoi(found[4]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return "", refuse("number", "number %q has more than %d digits when it is written out", written, maxExponent)
		}
	}
	point := len(found[2]) + exponent
	if point < 1 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, fraction := strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction, nil
}
