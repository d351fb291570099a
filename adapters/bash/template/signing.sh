# shellcheck shell=bash disable=SC2034,SC2154 # adapter.sh declares these variables and reads them
# What your implementation has, operation by operation; the loop in adapter.sh stays as it is.
#
# Report what your implementation gives and repair nothing: no trimming, no re-encoding, no retry.

# What reports call the implementation.
readonly NAME=my-sdk VERSION=0

# The next one is one name here and one function; PROTOCOL.md names them all: the function of presigned-url is presigned_url.
readonly OPERATIONS=(authorization)

# The stages that your implementation lets anybody see, of those in PROTOCOL.md. stringToSign explains the most.
readonly TRACES=()

# The value of the Authorization header (§5.2), of what the question holds:
#
#   ${Message[input.method]}, ${Message[input.bucket]}, ${Message[input.key]}: PUT, demo, a.txt
#   ${Message[input.headers]}: how many headers there are; ${Message[input.headers.0.0]} is the name of the first,
#     ${Message[input.headers.0.1]} its value
#   ${Message[keys.publicKey]}, ${Message[keys.privateKey]}: the key pair
#   $Scheme, $HeaderPrefix, $PublicKeyParameter: the words of the service: Svc, x-svc-, SvcPublicKey
#
# Call your program, and then: Result[authorization]=$value, with the stages it shows as Trace[stringToSign]=$text. A deliberate no
# of your program is `refuse REASON MESSAGE`, as the last that is done; any other failure says that it broke. Where it has no way to
# express the input, such as a header name twice: `unsupported WHY`, as the last; neither a pass nor a failure.
authorization() {
  Broken='fill in authorization() in signing.sh'; return 1
}
