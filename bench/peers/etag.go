// The ETag of a file by the published Go SDK: etag FILE.
package main

import (
	"fmt"
	"os"

	ufsdk "github.com/ufilesdk-dev/ufile-gosdk"
)

func main() {
	fmt.Println(ufsdk.GetFileEtag(os.Args[1]))
}
