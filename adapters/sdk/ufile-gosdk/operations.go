package main

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	ufsdk "github.com/ufilesdk-dev/ufile-gosdk"
)

const sdkModule = "github.com/ufilesdk-dev/ufile-gosdk"

// input has the members of all operations; encoding/json finds them whatever
// the case of their first letter.
type input struct {
	Method, Bucket, Key       string
	Headers, Fields           []pair
	Policy                    string
	Expires, Scheme, FileHost string
	Parameters                []parameter
	Content                   struct{ File, Bytes *string }
}

// A pair is a name and a value, a parameter a name and whatever value.
type (
	pair      [2]string
	parameter [2]any
)

var operations = map[string]func(input, keyPair) (result, error){
	"authorization":        authorization,
	"policy-authorization": policyAuthorization,
	"form-authorization":   formAuthorization,
	"presigned-url":        presignedURL,
	"action-signature":     actionSignature,
	"action-query":         actionQuery,
	"bucket-request":       bucketRequest,
	"etag":                 etag,
}

// header is what a user of net/http makes of the pairs.
func header(pairs []pair) http.Header {
	header := http.Header{}
	for _, one := range pairs {
		header.Add(one[0], one[1])
	}
	return header
}

func authorization(in input, keys keyPair) (result, error) {
	auth := ufsdk.NewAuth(keys.PublicKey, keys.PrivateKey)
	return result{"authorization": auth.Authorization(in.Method, in.Bucket, in.Key, header(in.Headers))}, nil
}

func policyAuthorization(in input, keys keyPair) (result, error) {
	auth := ufsdk.NewAuth(keys.PublicKey, keys.PrivateKey)
	signed := auth.AuthorizationPolicy(in.Method, in.Bucket, in.Key, in.Policy, header(in.Headers))
	return result{"authorization": signed}, nil
}

// A keeper is the transport of the SDK's HTTP client: it keeps the request and sends nothing.
type keeper struct{ request *http.Request }

func (k *keeper) RoundTrip(request *http.Request) (*http.Response, error) {
	k.request = request
	return &http.Response{StatusCode: 200, Request: request, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// formAuthorization reads the form field of the upload that PostFile sends.
func formAuthorization(in input, keys keyPair) (result, error) {
	mimeType, headers, err := formGiven(in)
	if err != nil {
		return nil, err
	}
	kept := &keeper{}
	config := ufsdk.Config{PublicKey: keys.PublicKey, PrivateKey: keys.PrivateKey, BucketName: in.Bucket}
	sdk, err := ufsdk.NewFileRequestWithHeader(&config, headers, &http.Client{Transport: kept})
	if err != nil {
		return nil, refused{err}
	}
	path, remove, err := temporaryFile([]byte("content"))
	if err != nil {
		return nil, err
	}
	defer remove()
	if err := sdk.PostFile(path, in.Key, mimeType); err != nil {
		return nil, err
	}
	_, media, err := mime.ParseMediaType(kept.request.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	form := multipart.NewReader(kept.request.Body, media["boundary"])
	field, err := form.NextPart() // the SDK writes it first
	if err != nil || field.FormName() != "Authorization" {
		return nil, errors.New("the form does not start with Authorization")
	}
	value, err := io.ReadAll(field)
	return result{"authorization": string(value)}, err
}

// formGiven is what PostFile takes: a type, and headers beside the Content-Type of the form, which it sets itself.
func formGiven(in input) (mimeType string, headers http.Header, err error) {
	for _, field := range in.Fields {
		switch field[0] {
		case "Authorization", "FileName": // the SDK's own
		case "Content-Type":
			if mimeType != "" {
				return "", nil, errUnsupported
			}
			mimeType = field[1]
		default:
			return "", nil, errUnsupported
		}
	}
	headers = header(in.Headers)
	ofForm := headers.Get("Content-Type")
	headers.Del("Content-Type")
	if mimeType == "" || ofForm != "" && !strings.HasPrefix(ofForm, "multipart/form-data;") {
		return "", nil, errUnsupported
	}
	return mimeType, headers, nil
}

// presignedURL takes the entry point for a GET, which counts seconds from now.
func presignedURL(in input, keys keyPair) (result, error) {
	expires, err := strconv.ParseInt(in.Expires, 10, 64)
	if err != nil || in.Expires != strconv.FormatInt(expires, 10) || in.Method != "GET" || len(in.Headers) > 0 {
		return nil, errUnsupported
	}
	config := ufsdk.Config{PublicKey: keys.PublicKey, PrivateKey: keys.PrivateKey, BucketName: in.Bucket, FileHost: in.FileHost}
	if in.Scheme != "http" { // a file host is taken for http, a domain of one's own has its scheme
		config.Endpoint = in.Scheme + "://" + in.Bucket + "." + in.FileHost
	}
	sdk, err := ufsdk.NewFileRequest(&config, nil)
	if err != nil {
		return nil, refused{err}
	}
	seconds := expires - now()
	if seconds < -9e9 || seconds > 9e9 { // more than a time.Duration holds
		return nil, errUnsupported
	}
	return result{"url": sdk.GetPrivateURL(in.Key, time.Duration(seconds)*time.Second)}, nil
}

// now waits until no tick of the clock comes between here and the SDK.
func now() int64 {
	for time.Now().Nanosecond() > 950_000_000 {
		time.Sleep(10 * time.Millisecond)
	}
	return time.Now().Unix()
}

// query is what AuthorizationBucketMgr gives: it adds PublicKey and Signature. Values are texts, and may repeat.
func query(in input, keys keyPair) (string, error) {
	given, hasKey := url.Values{}, false
	for _, one := range in.Parameters {
		text, isText := one[1].(string)
		isKey := one[0] == "PublicKey"
		if !isText || isKey && (hasKey || text != keys.PublicKey) {
			return "", errUnsupported
		}
		if hasKey = hasKey || isKey; !isKey {
			given.Add(one[0].(string), text)
		}
	}
	if !hasKey {
		return "", errUnsupported
	}
	return ufsdk.NewAuth(keys.PublicKey, keys.PrivateKey).AuthorizationBucketMgr(given), nil
}

func actionQuery(in input, keys keyPair) (result, error) {
	query, err := query(in, keys)
	return result{"query": query}, err
}

// actionSignature reads the signature in that query; a Signature of the question stands before it.
func actionSignature(in input, keys keyPair) (result, error) {
	query, err := query(in, keys)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	signatures := values["Signature"]
	return result{"signature": signatures[len(signatures)-1]}, nil
}

// bucketRequest takes the operations that the SDK has functions for, where its function sends these parameters.
func bucketRequest(in input, keys keyPair) (result, error) {
	given := map[string]string{}
	for _, one := range in.Parameters {
		text, isText := one[1].(string)
		if !isText {
			return nil, errUnsupported
		}
		given[one[0].(string)] = text
	}
	sent, known := bucketOperations[given["Action"]]
	if given["ProjectId"] != "" { // it is sent where there is one
		sent = append([]string{"ProjectId"}, sent...)
	}
	for _, name := range sent {
		_, there := given[name]
		known = known && there
	}
	if !known || len(sent) != len(in.Parameters) || given["PublicKey"] != keys.PublicKey {
		return nil, errUnsupported
	}
	kept := &keeper{}
	config := ufsdk.Config{PublicKey: keys.PublicKey, PrivateKey: keys.PrivateKey, BucketHost: "api.example"}
	sdk, err := ufsdk.NewBucketRequest(&config, &http.Client{Transport: kept})
	if err != nil {
		return nil, refused{err}
	}
	if err := callBucket(sdk, given); err != nil {
		return nil, err
	}
	return result{"target": kept.request.URL.RequestURI()}, nil
}

// bucketOperations are the parameters that the functions for texts send.
var bucketOperations = map[string][]string{
	"CreateBucket": {"Action", "PublicKey", "BucketName", "Type", "Region"},
	"UpdateBucket": {"Action", "PublicKey", "BucketName", "Type"},
	"DeleteBucket": {"Action", "PublicKey", "BucketName"},
}

func callBucket(sdk *ufsdk.UFileRequest, given map[string]string) (err error) {
	switch given["Action"] {
	case "CreateBucket":
		_, err = sdk.CreateBucket(given["BucketName"], given["Region"], given["Type"], given["ProjectId"])
	case "UpdateBucket":
		_, err = sdk.UpdateBucket(given["BucketName"], given["Type"], given["ProjectId"])
	case "DeleteBucket":
		_, err = sdk.DeleteBucket(given["BucketName"], given["ProjectId"])
	}
	return err
}

// etag takes the name of a file.
func etag(in input, _ keyPair) (result, error) {
	if in.Content.File != nil {
		return result{"etag": ufsdk.GetFileEtag(*in.Content.File)}, nil
	}
	bytes, err := base64.StdEncoding.DecodeString(*in.Content.Bytes)
	if err != nil {
		return nil, err
	}
	path, remove, err := temporaryFile(bytes)
	if err != nil {
		return nil, err
	}
	defer remove()
	return result{"etag": ufsdk.GetFileEtag(path)}, nil
}

func temporaryFile(content []byte) (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "ufile-gosdk-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, "content")
	return path, func() { os.RemoveAll(folder) }, os.WriteFile(path, content, 0o600)
}
