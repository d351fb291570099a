package main

// implementation is what reports call this adapter.
var implementation = map[string]string{"name": "go", "version": "1.0", "language": "go"}

// traces are the stages that the operations below can show.
var traces = []string{
	"sortedParameters", "canonicalHeaders", "canonicalResource", "stringToSign",
	"digest", "signature", "encodedSignature", "blockCount",
}

// input has the members of every operation; encoding/json finds them whatever
// the case of their first letter.
type input struct {
	Text       string
	Parameters []parameter
	Members    []pair
	Method     string
	Bucket     string
	Key        string
	Headers    []pair
	Fields     []pair
	Policy     string
	Etag       string
	Size       string
	Expires    string
	Scheme     string
	FileHost   string
	URL        string
	Now        string
	Query      string
	Body       string
	Content    content
}

// A pair is a name and a value: headers repeat and have an order, which maps
// and http.Header do not keep.
type pair [2]string

// A parameter is a name and a value as encoding/json decodes it; the protocol
// tags numbers, lists and objects, so that no digit and no order is lost.
type parameter [2]any

func (in input) request(keys keyPair, words dialect) fileRequest {
	return fileRequest{in.Method, in.Bucket, in.Key, in.Headers, keys, words}
}

// operations is the part to replace: call your own implementation here, and
// leave out what it does not have.
var operations = map[string]func(input, keyPair, dialect) (result, trace stages, err error){
	"url-encode": func(in input, _ keyPair, _ dialect) (stages, stages, error) {
		return stages{"encoded": urlEncode(in.Text)}, nil, nil
	},
	"password": func(in input, _ keyPair, _ dialect) (stages, stages, error) {
		return stages{"value": password(in.Text)}, nil, nil
	},
	"action-signature": func(in input, keys keyPair, _ dialect) (stages, stages, error) {
		signed, err := signAction(in.Parameters, keys)
		if err != nil {
			return nil, nil, err
		}
		trace := signed.trace()
		delete(trace, "signature")
		return stages{"signature": signed.signature}, trace, nil
	},
	"action-json": func(in input, keys keyPair, _ dialect) (stages, stages, error) {
		signed, err := signRequest(in.Parameters, keys)
		return stages{"body": signed.body()}, signed.trace(), err
	},
	"action-query": func(in input, keys keyPair, _ dialect) (stages, stages, error) {
		signed, err := signRequest(in.Parameters, keys)
		return stages{"query": signed.query()}, signed.trace(), err
	},
	"bucket-request": func(in input, keys keyPair, _ dialect) (stages, stages, error) {
		signed, err := signBucketRequest(in.Parameters, keys)
		return stages{"target": "/?" + signed.query()}, signed.trace(), err
	},
	"authorization": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		request := in.request(keys, words)
		signed, err := request.sign()
		return stages{"authorization": request.authorization(signed)}, signed.trace(), err
	},
	"form-authorization": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		request := in.request(keys, words)
		signed, err := request.signForm(in.Fields)
		return stages{"authorization": request.authorization(signed)}, signed.trace(), err
	},
	"policy": func(in input, _ keyPair, _ dialect) (stages, stages, error) {
		return stages{"policy": policy(in.Members)}, nil, nil
	},
	"policy-authorization": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		request := in.request(keys, words)
		signed, err := request.signWithPolicy(in.Policy)
		return stages{"authorization": request.authorization(signed) + ":" + in.Policy}, signed.trace(), err
	},
	"instant-upload": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		request := in.request(keys, words)
		request.method = "POST"
		signed, err := request.sign()
		return stages{
			"target":        uploadHit(in.Etag, in.Key, in.Size),
			"authorization": request.authorization(signed),
		}, signed.trace(), err
	},
	"presigned-url": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		request := in.request(keys, words)
		signed, err := request.presign(in.Expires)
		trace := signed.trace()
		trace["encodedSignature"] = urlEncode(signed.signature)
		return stages{"url": request.url(in.Scheme, in.FileHost, in.Expires, signed)}, trace, err
	},
	"etag": func(in input, _ keyPair, _ dialect) (stages, stages, error) {
		tag, err := fileEtag(in.Content)
		return stages{"etag": tag.text()}, stages{"blockCount": tag.blockCount, "digest": tag.hexDigest()}, err
	},
	"part-etag": func(in input, _ keyPair, _ dialect) (stages, stages, error) {
		tag, err := partEtag(in.Content)
		return stages{"etag": tag.partText()}, stages{"digest": tag.hexDigest()}, err
	},
	"verify-authorization": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		signed, err := verifyAuthorization(in.request(keys, words))
		return stages{"publicKey": keys.PublicKey}, signed.trace(), err
	},
	"verify-presigned-url": func(in input, keys keyPair, words dialect) (stages, stages, error) {
		signed, err := verifyURL(in, keys, words)
		return stages{"publicKey": keys.PublicKey}, signed.trace(), err
	},
	"verify-query": func(in input, keys keyPair, _ dialect) (stages, stages, error) {
		signed, err := verifyQuery(in.Query, keys)
		return stages{"publicKey": keys.PublicKey}, signed.trace(), err
	},
	"verify-json": func(in input, keys keyPair, _ dialect) (stages, stages, error) {
		signed, err := verifyJSON(in.Body, keys)
		return stages{"publicKey": keys.PublicKey}, signed.trace(), err
	},
}
