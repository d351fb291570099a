// What your implementation has, operation by operation; the loop in main.go
// stays as it is. Report what your implementation gives and repair nothing: no
// trimming, no re-encoding, no retry.
package main

var implementation = map[string]string{"name": "my-sdk", "version": "0", "language": "go"}

// traces are the stages that your implementation lets anybody see, of those in
// PROTOCOL.md; "stringToSign" explains the most.
var traces = []string{}

// input is what a question asks about: Method "PUT", Bucket "demo", Key
// "a.txt", Headers {{"Content-Type", "text/plain"}}. PROTOCOL.md names the
// members of the other operations; encoding/json finds them by their names.
type input struct {
	Method  string
	Bucket  string
	Key     string
	Headers []pair
}

// A pair is a name and a value.
type pair [2]string

// authorization is the value of the Authorization header (§5.2). Call your SDK,
// and return
//
//	stages{"authorization": value}, stages{"stringToSign": text}, nil
//
// with the stages it shows, nil for none. A deliberate no of your SDK is
// refuse(reason, message) as the error; any other error says that it broke.
// Where it has no way to express the input, such as a header name twice, the
// error is unsupported(why): neither a pass nor a failure.
func authorization(in input, keys keyPair, words dialect) (result, trace stages, err error) {
	panic("fill in authorization() in operations.go")
}

var operations = map[string]func(input, keyPair, dialect) (result, trace stages, err error){
	"authorization": authorization,
	// The next one is one line and one function; PROTOCOL.md names them all: "presigned-url": presignedURL,
}
