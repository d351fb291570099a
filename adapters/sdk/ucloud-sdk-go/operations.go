package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/ucloud/ucloud-sdk-go/services/uhost"
	"github.com/ucloud/ucloud-sdk-go/ucloud"
	"github.com/ucloud/ucloud-sdk-go/ucloud/auth"
	uerr "github.com/ucloud/ucloud-sdk-go/ucloud/error"
	"github.com/ucloud/ucloud-sdk-go/ucloud/log"
	"github.com/ucloud/ucloud-sdk-go/ucloud/request"
)

const sdkModule = "github.com/ucloud/ucloud-sdk-go"

// input has the members of all operations.
type input struct {
	Text       string
	Parameters [][2]any
}

var operations = map[string]func(input, keyPair) (result, error){
	"action-signature": actionSignature,
	"action-json":      actionJSON,
	"action-query":     actionQuery,
	"password":         password,
}

// A keeper is the transport of the SDK's client: it keeps the body of the request and sends nothing.
type keeper struct{ body []byte }

func (k *keeper) RoundTrip(request *http.Request) (*http.Response, error) {
	var err error
	k.body, err = io.ReadAll(request.Body)
	answer := io.NopCloser(strings.NewReader(`{"RetCode": 0}`))
	return &http.Response{StatusCode: 200, Request: request, Body: answer}, err
}

// settings are a configuration without logs, and the credential.
func settings(keys keyPair) (*ucloud.Config, *auth.Credential) {
	config := ucloud.NewConfig()
	config.LogLevel = log.PanicLevel
	credential := auth.NewCredential()
	credential.PublicKey, credential.PrivateKey = keys.PublicKey, keys.PrivateKey
	return &config, &credential
}

// sent is the body that GenericInvoke sends, as form fields or as JSON. The client sends its own PublicKey.
func sent(in input, keys keyPair, asJSON bool) ([]byte, error) {
	payload, err := payloadOf(in.Parameters)
	if err != nil {
		return nil, err
	}
	if payload["PublicKey"] != keys.PublicKey || !asJSON && isAmbiguous(payload) {
		return nil, errUnsupported
	}
	delete(payload, "PublicKey")
	config, credential := settings(keys)
	client, kept := ucloud.NewClient(config, credential), &keeper{}
	client.SetTransport(kept)
	question := client.NewGenericRequest()
	if asJSON {
		question.SetEncoder(request.NewJSONEncoder(config, credential))
	}
	if err := question.SetPayload(payload); err != nil {
		return nil, refused{err}
	}
	_, err = client.GenericInvoke(question)
	var declined uerr.Error
	if errors.As(err, &declined) && declined.Name() == uerr.ErrInvalidRequest {
		return nil, refused{err}
	}
	return kept.body, err
}

// isAmbiguous tells whether a name such as Disks.0 stands beside a list Disks: of two parameters that flattening calls
// alike the SDK keeps the one that the random order of a Go map puts last, so there is no answer to report.
func isAmbiguous(payload map[string]any) bool {
	for name := range payload {
		for i := range name {
			if name[i] != '.' {
				continue
			}
			switch payload[name[:i]].(type) {
			case []any, map[string]any:
				return true
			}
		}
	}
	return false
}

func actionSignature(in input, keys keyPair) (result, error) {
	body, err := sent(in, keys, false)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	return result{"signature": form.Get("Signature")}, err
}

func actionJSON(in input, keys keyPair) (result, error) {
	body, err := sent(in, keys, true)
	return result{"body": string(body)}, err
}

// actionQuery takes texts, each name once, and adds the PublicKey of the credential.
func actionQuery(in input, keys keyPair) (result, error) {
	given := map[string]string{}
	for _, one := range in.Parameters {
		text, isText := one[1].(string)
		if !isText {
			return nil, errUnsupported
		}
		given[one[0].(string)] = text
	}
	if len(given) < len(in.Parameters) || given["PublicKey"] != keys.PublicKey {
		return nil, errUnsupported
	}
	delete(given, "PublicKey")
	_, credential := settings(keys)
	return result{"query": credential.BuildCredentialedQuery(given)}, nil
}

// password is in the request that the client of hosts sends.
func password(in input, keys keyPair) (result, error) {
	client, kept := uhost.NewClient(settings(keys)), &keeper{}
	client.SetTransport(kept)
	host := client.NewCreateUHostInstanceRequest()
	host.Password = ucloud.String(in.Text)
	if _, err := client.CreateUHostInstance(host); err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(kept.body))
	return result{"value": form.Get("Password")}, err
}

// payloadOf is the map that a user of the SDK writes, in which no name is there twice.
func payloadOf(pairs [][2]any) (map[string]any, error) {
	payload := map[string]any{}
	for _, one := range pairs {
		value, err := valueOf(one[1])
		if err != nil {
			return nil, err
		}
		payload[one[0].(string)] = value
	}
	if len(payload) < len(pairs) {
		return nil, errUnsupported
	}
	return payload, nil
}

func valueOf(value any) (any, error) {
	tagged, isTagged := value.(map[string]any)
	if !isTagged {
		return value, nil
	}
	if digits, ok := tagged["number"].(string); ok {
		return numberOf(digits)
	}
	if items, ok := tagged["list"].([]any); ok {
		list := make([]any, len(items))
		for i, item := range items {
			var err error
			if list[i], err = valueOf(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	var members [][2]any
	text, err := json.Marshal(tagged["object"])
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		return nil, err
	}
	return payloadOf(members)
}

var (
	integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	float   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$|^NaN$|^-?Infinity$`)
)

// numberOf is an int where there is no fraction and no exponent, else a float64. What is beyond them is no Go number.
func numberOf(digits string) (any, error) {
	var value any
	var err error = errUnsupported
	switch {
	case integer.MatchString(digits):
		value, err = strconv.Atoi(digits)
	case float.MatchString(digits):
		value, err = strconv.ParseFloat(digits, 64)
	}
	if err != nil {
		return nil, errUnsupported
	}
	return value, nil
}
