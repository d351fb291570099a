// Uses the published Go SDK of US3/UFile as its users do.
//
// It prints one JSON line for each step; ../steps.ts says what a step is.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	ufsdk "github.com/ufilesdk-dev/ufile-gosdk"
)

const (
	made     = "made-by-go"
	fileHost = "cn-bj.ufileos.com"
	apiHost  = "api.ucloud.cn"
)

var (
	config = ufsdk.Config{
		PublicKey:  os.Getenv("SVC_PUBLIC_KEY"),
		PrivateKey: os.Getenv("SVC_PRIVATE_KEY"),
		BucketName: os.Getenv("SVC_BUCKET"),
		FileHost:   fileHost,
		BucketHost: apiHost,
	}
	bucket     = config.BucketName
	files, _   = ufsdk.NewFileRequest(&config, nil)
	buckets, _ = ufsdk.NewBucketRequest(&config, nil)
)

func main() {
	step("create bucket", createBucket)
	step("describe bucket", describeBucket)
	step("put and get 0 bytes", putAndGet("0.txt", nil))
	step("put and get 1 byte", putAndGet("1.txt", content(1)))
	step("put and get 5 MiB", putAndGet("5.txt", content(5<<20)))
	step("key with a space", putAndGet("a b.txt", []byte("space")))
	step("key with a plus", putAndGet("a+b.txt", []byte("plus")))
	step("key with a percent sign", putAndGet("100%.txt", []byte("percent")))
	step("key with an escape in it", putAndGet("a%41.txt", []byte("escape")))
	step("key beyond ASCII", putAndGet("键-é.txt", []byte("beyond")))
	step("key with slashes", putAndGet("a/b/c.txt", []byte("slashes")))
	step("put with Content-MD5", putWithMD5)
	step("metadata", metadata)
	step("form post", formPost)
	step("instant upload", instantUpload)
	lacking("append", "the SDK has no function for it")
	step("range get", rangeGet)
	step("head", head)
	step("prefix list", prefixList)
	step("list objects", listObjects)
	step("copy", copyFile)
	step("rename", rename)
	step("archive and restore", archiveAndRestore)
	step("multipart upload", multipart)
	lacking("part copy", "the SDK has no function for it")
	lacking("list parts", "the SDK has no function for it")
	step("abort upload", abort)
	step("pre-signed get", presignedGet)
	step("pre-signed put", presignedPut)
	step("delete", deleteFile)
	step("delete bucket", deleteBucket)
}

func step(name string, work func() error) {
	outcome := map[string]any{"step": name, "ok": true}
	if err := work(); err != nil {
		outcome["ok"], outcome["error"] = false, err.Error()
	}
	report(outcome)
}

func lacking(name, why string) { report(map[string]any{"step": name, "lacking": why}) }

func report(outcome map[string]any) {
	line, _ := json.Marshal(outcome)
	fmt.Println(string(line))
}

func content(size int) []byte {
	data := make([]byte, size)
	rand.New(rand.NewSource(int64(size))).Read(data)
	return data
}

func local(data []byte) string {
	if err := os.WriteFile("upload.txt", data, 0o600); err != nil {
		panic(err)
	}
	return "upload.txt"
}

func put(key string, data []byte) error { return files.PutFile(local(data), key, "text/plain") }

func same(key string, data []byte) error {
	var got bytes.Buffer
	if err := files.DownloadFile(&got, key); err != nil {
		return err
	}
	return check(bytes.Equal(got.Bytes(), data), "other bytes came back")
}

func check(isSo bool, what any) error {
	if isSo {
		return nil
	}
	return fmt.Errorf("%v", what)
}

func putAndGet(key string, data []byte) func() error {
	return func() error {
		if err := put(key, data); err != nil {
			return err
		}
		return same(key, data)
	}
}

func createBucket() error {
	answer, err := buckets.CreateBucket(made, "cn-bj", "private", "")
	return errors.Join(err, check(answer.BucketName == made && answer.BucketID != "", answer))
}

func describeBucket() error {
	answer, err := buckets.DescribeBucket(made, 0, 10, "")
	if err != nil {
		return err
	}
	return check(len(answer.DataSet) == 1 && answer.DataSet[0].BucketName == made &&
		answer.DataSet[0].Type == "private", answer)
}

func deleteBucket() error {
	answer, err := buckets.DeleteBucket(made, "")
	return errors.Join(err, check(answer.BucketName == made, answer))
}

// In the form, too, which the SDK signs with it.
func putWithMD5() error {
	checked := config
	checked.VerifyUploadMD5 = true
	sdk, err := ufsdk.NewFileRequest(&checked, nil)
	if err != nil {
		return err
	}
	data := content(1000)
	if err := sdk.PutFile(local(data), "md5.txt", "text/plain"); err != nil {
		return err
	}
	if err := same("md5.txt", data); err != nil {
		return err
	}
	stdout := os.Stdout
	os.Stdout = os.Stderr // the SDK prints the sum
	err = sdk.PostFile(local(data), "md5-form.txt", "text/plain")
	os.Stdout = stdout
	if err != nil {
		return err
	}
	return same("md5-form.txt", data)
}

func metadata() error {
	header := http.Header{"X-Ufile-Meta-Colour": {"red"}}
	sdk, err := ufsdk.NewFileRequestWithHeader(&config, header, nil)
	if err != nil {
		return err
	}
	if err := sdk.PutFile(local([]byte("x")), "described.txt", "text/plain"); err != nil {
		return err
	}
	if err := files.HeadFile("described.txt"); err != nil {
		return err
	}
	return check(files.LastResponseHeader.Get("X-Ufile-Meta-Colour") == "red", files.LastResponseHeader)
}

func instantUpload() error {
	data := content(5 << 20)
	if err := put("held.txt", data); err != nil {
		return err
	}
	if err := files.UploadHit(local(data), "at once.txt"); err != nil {
		return err
	}
	return same("at once.txt", data)
}

func rename() error {
	if err := put("old.txt", []byte("renamed")); err != nil {
		return err
	}
	if err := files.Rename("old.txt", "new.txt", "false"); err != nil {
		return err
	}
	return same("new.txt", []byte("renamed"))
}

func archiveAndRestore() error {
	if err := put("cold.txt", []byte("cold")); err != nil {
		return err
	}
	if err := files.ClassSwitch("cold.txt", "ARCHIVE"); err != nil {
		return err
	}
	if err := files.Restore("cold.txt"); err != nil {
		return err
	}
	return same("cold.txt", []byte("cold"))
}

func formPost() error {
	data := content(1000)
	if err := files.PostFile(local(data), "form.txt", "text/plain"); err != nil {
		return err
	}
	return same("form.txt", data)
}

func rangeGet() error {
	if err := put("range.txt", []byte("0123456789")); err != nil {
		return err
	}
	header := http.Header{"Range": {"bytes=2-5"}}
	ranged, err := ufsdk.NewFileRequestWithHeader(&config, header, nil)
	if err != nil {
		return err
	}
	var got bytes.Buffer
	err = ranged.DownloadFile(&got, "range.txt")
	return errors.Join(err, check(got.String() == "2345", "another range came back"))
}

func head() error {
	data := content(5 << 20)
	if err := put("head.txt", data); err != nil {
		return err
	}
	if err := files.HeadFile("head.txt"); err != nil {
		return err
	}
	header := files.LastResponseHeader
	if err := check(header.Get("Content-Length") == strconv.Itoa(len(data)), header); err != nil {
		return err
	}
	return check(files.CompareFileEtag("head.txt", "upload.txt"), "another ETag")
}

func prefixList() error {
	for _, name := range []string{"a", "b", "c"} {
		if err := put("list of/"+name, []byte("x")); err != nil {
			return err
		}
	}
	first, err := files.PrefixFileList("list of/", "", 2)
	if err != nil {
		return err
	}
	rest, err := files.PrefixFileList("list of/", first.NextMarker, 0)
	if err != nil {
		return err
	}
	var names string
	for _, one := range append(first.DataSet, rest.DataSet...) {
		names += one.FileName + " "
	}
	return check(names == "list of/a list of/b list of/c " && rest.NextMarker == "", names)
}

func listObjects() error {
	for _, key := range []string{"tree of/leaf", "tree of/twig/leaf"} {
		if err := put(key, []byte("x")); err != nil {
			return err
		}
	}
	list, err := files.ListObjects("tree of/", "", "/", 10)
	if err != nil {
		return err
	}
	return check(len(list.Contents) == 1 && list.Contents[0].Key == "tree of/leaf" && list.Contents[0].Size == "1" &&
		len(list.CommonPrefixes) == 1 && list.CommonPrefixes[0].Prefix == "tree of/twig/", list)
}

func copyFile() error {
	data := content(100)
	if err := put("source/ü 1.txt", data); err != nil {
		return err
	}
	if err := files.Copy("copy.txt", bucket, "source/ü 1.txt"); err != nil {
		return err
	}
	return same("copy.txt", data)
}

func multipart() error {
	data := content(9<<20 + 1)
	if err := files.AsyncMPut(local(data), "parts.txt", "text/plain"); err != nil {
		return err
	}
	if err := same("parts.txt", data); err != nil {
		return err
	}
	return check(files.CompareFileEtag("parts.txt", "upload.txt"), "another ETag")
}

func abort() error {
	state, err := files.InitiateMultipartUpload("aborted.txt", "text/plain")
	if err != nil {
		return err
	}
	if err := files.UploadPart(bytes.NewBufferString("x"), state, 0); err != nil {
		return err
	}
	if err := files.AbortMultipartUpload(state); err != nil {
		return err
	}
	err = files.FinishMultipartUpload(state)
	return check(err != nil && files.LastResponseStatus == 404, "what was aborted can be finished")
}

func presignedGet() error {
	if err := put("given away.txt", []byte("for everybody")); err != nil {
		return err
	}
	answer, err := http.Get(files.GetPrivateURL("given away.txt", 10*time.Minute))
	if err != nil {
		return err
	}
	got, err := io.ReadAll(answer.Body)
	return errors.Join(err, check(answer.StatusCode == 200 && string(got) == "for everybody", string(got)))
}

func presignedPut() error {
	expires := strconv.FormatInt(time.Now().Add(10*time.Minute).Unix(), 10)
	signature, publicKey := files.Auth.AuthorizationPrivateURL("PUT", bucket, "taken in.txt", expires, http.Header{})
	query := url.Values{"UCloudPublicKey": {publicKey}, "Signature": {signature}, "Expires": {expires}}
	target := files.GetPublicURL("taken in.txt") + "?" + query.Encode()
	request, err := http.NewRequest("PUT", target, bytes.NewBufferString("by anybody"))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if err := check(answer.StatusCode == 200, answer.Status); err != nil {
		return err
	}
	return same("taken in.txt", []byte("by anybody"))
}

func deleteFile() error {
	if err := put("gone.txt", []byte("x")); err != nil {
		return err
	}
	if err := files.DeleteFile("gone.txt"); err != nil {
		return err
	}
	if err := check(files.LastResponseStatus == 204, files.LastResponseStatus); err != nil {
		return err
	}
	err := files.HeadFile("gone.txt")
	return check(err != nil && files.LastResponseStatus == 404, "what was deleted is still there")
}
