package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
)

// 4 MB are 4 MiB.
const blockSize = 4 << 20

// A content is a file, or bytes in standard Base64.
type content struct {
	File  *string
	Bytes *string
}

func (c content) open() (io.ReadCloser, error) {
	if c.File != nil {
		return os.Open(*c.File)
	}
	if c.Bytes == nil {
		return nil, errors.New("the content is neither a file nor bytes")
	}
	data, err := base64.StdEncoding.DecodeString(*c.Bytes)
	return io.NopCloser(bytes.NewReader(data)), err
}

type etag struct {
	blockCount uint32
	digest     []byte
}

func (e etag) hexDigest() string { return hex.EncodeToString(e.digest) }

// text is the ETag of a file: the count, least significant byte first, and the SHA-1.
func (e etag) text() string {
	return base64.URLEncoding.EncodeToString(append(binary.LittleEndian.AppendUint32(nil, e.blockCount), e.digest...))
}

// partText is the ETag of a part, which has no count.
func (e etag) partText() string { return base64.URLEncoding.EncodeToString(e.digest) }

// fileEtag reads the content once, block by block, and keeps none of it.
func fileEtag(c content) (etag, error) {
	in, err := c.open()
	if err != nil {
		return etag{}, err
	}
	defer in.Close()
	blocks, block := sha1.New(), sha1.New()
	var last []byte
	for n := uint32(0); ; n++ {
		block.Reset()
		size, err := io.CopyN(block, in, blockSize)
		if err != nil && err != io.EOF {
			return etag{}, err
		}
		if size == 0 {
			return ofBlocks(n, last, blocks.Sum(nil)), nil
		}
		last = block.Sum(nil)
		blocks.Write(last)
	}
}

// ofBlocks takes the SHA of one block as it is, and the SHA over the SHAs of
// several; without a block, both are the SHA of nothing.
func ofBlocks(count uint32, single, over []byte) etag {
	if count == 1 {
		return etag{count, single}
	}
	return etag{count, over}
}

func partEtag(c content) (etag, error) {
	in, err := c.open()
	if err != nil {
		return etag{}, err
	}
	defer in.Close()
	digest := sha1.New()
	_, err = io.Copy(digest, in)
	return etag{digest: digest.Sum(nil)}, err
}
