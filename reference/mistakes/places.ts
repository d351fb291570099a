/**
 * The places of mistakes: each step with its noun, the rule that it follows, and the changes that fit its kind of value.
 *
 * @module
 */

import { BYTES_TEXTS, CHARSETS, KEYS } from './changes/bytes.ts';
import type { StepName } from './changes/change.ts';
import { DIGESTS } from './changes/digests.ts';
import { ENCODERS } from './changes/encoders.ts';
import { BLOCK_LISTS, BLOCK_SIZES, COUNT_BYTES, ETAG_LAYOUTS, FILE_DIGESTS } from './changes/etag.ts';
import { FOLDS, TRIMS } from './changes/headers.ts';
import { JOINS } from './changes/joins.ts';
import { arranged, LISTS, laidOut, PAIRS } from './changes/lists.ts';
import { DATES, EXPIRIES } from './changes/moments.ts';
import { BOOLEANS, NUMBERS } from './changes/numbers.ts';
import { ORDERS } from './changes/orders.ts';
import { TEXTS } from './changes/texts.ts';
import { ELEMENT_NAMES, JSON_VALUES, MEMBER_NAMES } from './changes/values.ts';
import { ACCOUNTS, COMPARISONS, EXPIRED, PAIR_LISTS, QUERY_TEXTS, SECONDS } from './changes/verifying.ts';
import { around, aroundList, aroundText, given, instead, insteadForNumbers, listed, returned, type StepChange, unchecked } from './kinds.ts';
import * as own from './own.ts';

/** A step, a noun for its value, and the rule of `vectors/rules.yaml` that it follows. */
export interface Place {
  readonly step: StepName;
  readonly noun: string;
  readonly rule: string;
  readonly changes: readonly StepChange[];
}

const place = (step: StepName, noun: string, rule: string, ...changes: readonly (readonly StepChange[])[]): Place => ({
  step,
  noun,
  rule,
  changes: changes.flat(),
});

const ACTION_NAMES = ['Action', 'PublicKey', 'Signature', 'Region', 'Zone', 'ProjectId', 'SecurityToken', 'Password', 'BucketName', 'Type'];

const texts = returned(TEXTS);
const normalForms = given({ ...TEXTS, changes: TEXTS.changes.filter(([id]) => /^to-nf[cd]$/.test(id)) });
const lists = listed(LISTS);
const pairs = listed(PAIRS);
const actions = listed(arranged(ACTION_NAMES));

/** Each step that can be wrong, in the order of the specification. */
export const PLACES: readonly Place[] = [
  // §2: the ETag
  place('blockSize', 'the block size of the ETag', '8/etag-block-size', instead(BLOCK_SIZES)),
  place('blockHash', 'the content that the ETag covers', '2/etag-blocks', instead(own.READINGS)),
  place('hashedBlocks', 'the list of block digests of the ETag', '2/etag-block-order', returned(BLOCK_LISTS)),
  place('fileDigest', 'the digest in the ETag', '2/etag-large', instead(FILE_DIGESTS)),
  place('etagDigest', 'the digest in the ETag', '2/etag-layout', returned(own.DIGEST_BYTES)),
  place('countBytes', 'the block count in the ETag', '2/etag-layout', instead(COUNT_BYTES)),
  place('etagLayout', 'the ETag before Base64', '2/etag-layout', instead(ETAG_LAYOUTS)),
  place('etagText', 'the text of the ETag', '2/etag-url-safe', instead(BYTES_TEXTS), texts),
  place('partHash', 'the ETag of a part', '2/etag-part', instead(own.PART_READINGS)),
  place('partHash', 'the content that the ETag of a part covers', '2/etag-part', instead(own.READINGS)),
  place('partEtagBytes', 'the ETag of a part before Base64', '2/etag-part', returned(own.DIGEST_BYTES), instead(own.PART_BYTES)),
  place('partEtagText', 'the text of the ETag of a part', '2/etag-part', instead(BYTES_TEXTS), texts),

  // §4.2: Password
  place('passwordBytes', 'the password', '4.2/password-utf-8', instead(CHARSETS), given(TEXTS)),
  place('passwordText', 'the Base64 of the password', '4.2/password-base64', instead(BYTES_TEXTS), texts),
  place('password', 'the password', '4.2/password-base64', around(own.PASSWORDS)),

  // §5.1: the set of parameters
  place('flattenedList', 'a list among the parameters', '5.1/flattening', around(own.LIST_FORMS)),
  place('flattenedObject', 'an object among the parameters', '5.1/flattening', around(own.OBJECT_FORMS)),
  place('flattened', 'the set of flat parameters', '5.1/flattening', pairs, lists),
  place('listItems', 'a list among the parameters', '5.1/flattening', lists, around(own.ITEMS)),
  place('objectMembers', 'an object among the parameters', '5.1/flattening', lists, around(own.MEMBERS)),
  place('elementName', 'the name of a list element', '5.1/flattening', instead(ELEMENT_NAMES)),
  place('memberName', 'the name of an object member', '5.1/flattening', instead(MEMBER_NAMES)),
  place('nullParameter', 'a parameter that is null', '5.1/null', instead(own.NULLS)),
  place('isPresentValue', 'a parameter', '5.1/all-parameters', instead(own.PRESENT)),
  place('isSignedParameter', 'the parameter Signature', '5.1/signature-excluded', around(own.SIGNED)),
  place('checkNames', 'the rule that a parameter comes once', '5.1/repeated-name', unchecked('refuse two parameters of one name')),
  place('parameterSet', 'the set of parameters', '5.1/all-parameters', actions, pairs, lists, listed(own.PASSWORD_VALUES)),
  place('isSentParameter', 'a parameter', '4.2/query-pairs', instead(own.SENT)),

  // §5.1: the text of a value
  place('stringText', 'the text of a string value', '5.1/unescaped', texts),
  place('booleanText', 'the text of a boolean', '5.1/booleans', instead(BOOLEANS)),
  place('otherNumber', 'a number without decimal text', '5.1/number-syntax', instead(own.OTHER_NUMBERS)),
  place('heldNumber', 'a number (signed and sent)', '5.1/number-precision', instead(own.HELD), instead(NUMBERS)),
  place('numberText', 'the text of a number', '5.1/plain-decimal', instead(NUMBERS)),
  place('signOfZero', 'minus zero', '5.1/number-fraction', instead(own.ZERO_SIGNS)),
  place('signedNumber', 'the signed text of a number', '5.1/plain-decimal', insteadForNumbers(NUMBERS), texts),
  place('valueText', 'the text of a value', '5.1/unescaped', texts),

  // §5.1: the string to sign and its digest
  place('sortedParameters', 'the list of sorted parameters', '5.1/sort-bytes', instead(ORDERS), actions, lists),
  place('signedPairs', 'the list of signed parameters', '5.1/all-parameters', instead(ORDERS), actions, pairs, lists, listed(own.NAMES_BEFORE_SORTING)),
  place('signedPairs', 'a parameter', '5.1/all-parameters', instead(own.UNSIGNED), instead(own.SIGNED_BOOLEANS)),
  place('signedName', 'the signed name of a parameter', '5.1/concatenation', texts, instead(ENCODERS)),
  place('signedValue', 'the signed text of a value', '5.1/unescaped', texts, instead(ENCODERS)),
  place('parameterEntry', 'the entry of a parameter', '5.1/concatenation', instead(own.ENTRIES), texts),
  place('joinParameterEntries', 'the list of parameter entries', '5.1/concatenation', instead(JOINS)),
  place('parametersText', 'the text of all parameters', '5.1/concatenation', instead(own.LAYOUTS)),
  place('actionText', 'the signed text before the private key', '5.1/concatenation', texts, instead(ENCODERS), returned(own.PREFIXES)),
  place('actionKey', 'the private key at the end of the signed text', '5.1/private-key-last', texts),
  place('actionPieces', 'the string to sign of an action', '5.1/private-key-last', listed(laidOut(['the parameters', 'the private key'], []))),
  place('withPrivateKey', 'the string to sign of an action', '5.1/private-key-last', texts, instead(own.KEY_MARKS)),
  place('actionTextBytes', 'the text that an action hashes', '5.1/utf-8', instead(CHARSETS)),
  place('actionDigest', 'the digest of an action', '5.1/sha1', instead(own.ACTION_DIGESTS), instead(own.ACTION_SCHEMES)),
  place('actionSignatureText', 'the signature of an action', '5.1/hexadecimal', instead(BYTES_TEXTS), texts),

  // §4.1, §4.2, §5.3: the forms of a request
  place('checkPresent', 'the rule that a request names its parameters', '4.2/action-required', around(own.PRESENCE)),
  place('urlEncode', 'a text in a URL', '5.3/escaped', instead(ENCODERS), normalForms),
  place('queryName', 'the name of a parameter in the query', '5.3/names-and-values', instead(ENCODERS), texts),
  place('queryValue', 'the value of a parameter in the query', '5.3/names-and-values', instead(ENCODERS), texts, given(TEXTS)),
  place('queryPair', 'the pair of a query', '4.2/query-pairs', texts, instead(own.QUERY_PAIRS)),
  place('querySignature', 'the signature in the query', '4.2/query-signature-last', texts),
  place('queryPairs', 'the list of query pairs', '4.2/query-signature-last', instead(own.QUERY_LISTS), lists),
  place('joinQuery', 'the list of query pairs', '4.2/query-pairs', instead(JOINS)),
  place('queryText', 'the query', '4.2/query-pairs', texts),
  place('bucketTarget', 'the target of a bucket request', '4.1/get-root', instead(own.TARGETS), texts),
  place('jsonName', 'the name of a parameter in the body', '4.2/json-members', texts, given(TEXTS), instead(JSON_VALUES)),
  place(
    'jsonValue',
    'the value of a parameter in the body',
    '4.2/json-numbers',
    instead(JSON_VALUES),
    around(own.JSON_NUMBERS),
    around(own.JSON_NUMBER_TEXTS),
    texts,
  ),
  place('jsonMembers', 'the list of body members', '4.2/json-members', lists, around(own.JSON_FORMS)),
  place('jsonSignature', 'the signature in the body', '4.2/json-members', texts),
  place('jsonBody', 'the body', '4.2/json-members', instead(own.BODIES)),
  place('bodyText', 'the body', '4.2/json-members', texts),

  // §5.2: checks
  place('checkMethod', 'the rule that a method is a token', '5.2/verb-token', unchecked('refuse a method that is no token')),
  place('checkBucket', 'the rule that a bucket is a host label', '5.2/resource-bucket', around(own.BUCKET_CHECKS)),
  place('checkHeaders', 'the rule about header names and values', '5.2/headers-name-token', around(own.HEADER_CHECKS)),
  place('checkHeaderName', 'the rule that a header name is a token', '5.2/headers-name-token', unchecked('refuse header names that are no tokens')),
  place('checkHeaderValue', 'the rule that a header value is one line', '5.2/headers-value-line-end', around(own.VALUE_CHECKS)),
  place('checkRequest', 'the rule about what HTTP can carry', '5.2/headers-name-token', unchecked('refuse what no HTTP request can carry')),

  // §5.2: the positional lines
  place('verb', 'the verb', '5.2/verb', texts, instead(own.VERBS), instead(TEXTS)),
  place('isPositional', 'the name of a positional header', '5.2/positional-name-case', instead(own.POSITIONAL_NAMES)),
  place('oneValue', 'the value of a positional header that comes twice', '5.2/positional-repeated', instead(own.REPEATED)),
  place('unfoldPositional', 'a folded value of a positional header', '5.2/positional-fold', instead(FOLDS)),
  place('trimPositional', 'the value of a positional header', '5.2/positional-blanks', instead(TRIMS)),
  place('positionalValue', 'the value of a positional header', '5.2/positional-values', texts, aroundText(own.POSITIONAL_LINES)),
  place('contentMd5', 'the Content-MD5 line', '5.2/positional-values', texts, returned(own.MD5_LINES), aroundText(own.otherHeader('Content-MD5'))),
  place('contentType', 'the Content-Type line', '5.2/positional-values', texts, returned(own.TYPE_LINES), aroundText(own.otherHeader('Content-Type'))),
  place(
    'date',
    'the Date line',
    '5.2/date-opaque',
    texts,
    returned(DATES),
    returned(EXPIRIES),
    aroundText(own.DATE_LINES),
    aroundText(own.otherHeader('Date')),
  ),
  place('positionalValues', 'the list of positional lines', '5.2/positional-order', around(own.LINES)),

  // §5.2: the extra headers
  place('trimName', 'the name of an extra header', '5.2/headers-colon-blanks', instead(TRIMS)),
  place('isExtraHeader', 'the choice of extra headers', '5.2/headers-selected', instead(own.SELECTIONS)),
  place('lowerCaseName', 'the name of an extra header', '5.2/headers-lower-case', instead(own.HEADER_NAMES), texts),
  place('unfold', 'a folded value of an extra header', '5.2/headers-unfolded', instead(FOLDS)),
  place('trimValue', 'the value of an extra header', '5.2/headers-colon-blanks', instead(TRIMS)),
  place('extraValue', 'each value of an extra header', '5.2/headers-merged', texts),
  place('extraHeaders', 'the block of extra headers', '5.2/headers-selected', around(own.HEADER_ROUTES)),
  place('extraHeaders', 'the list of headers that are sent', '5.2/headers-selected', given(PAIRS)),
  place('extraList', 'the list of extra header lines', '5.2/headers-merged', lists, pairs, instead(ORDERS)),
  place('valuesOfName', 'the list of values of one name', '5.2/headers-merged', lists, listed(own.VALUE_LISTS)),
  place('joinValues', 'the list of values of one name', '5.2/headers-merged', instead(JOINS)),
  place('mergedHeaders', 'the list of merged extra headers', '5.2/headers-merged', around(own.MERGES), pairs),
  place('sortedHeaders', 'the list of sorted extra headers', '5.2/headers-sorted', instead(ORDERS), lists, pairs),
  place('signedHeaderName', 'the signed name of an extra header', '5.2/headers-lower-case', texts),
  place('signedHeaderValue', 'the signed value of an extra header', '5.2/headers-merged', texts),
  place('headerPieces', 'the entry of an extra header', '5.2/headers-line-feed', listed(laidOut(['the name', 'the value'], ['the colon', 'the line feed']))),
  place('joinHeaderEntries', 'the list of extra header entries', '5.2/headers-line-feed', instead(JOINS)),
  place('canonicalHeaders', 'the block of extra headers', '5.2/headers-none', aroundText(own.CANONICAL)),
  place('headersText', 'the text of the extra headers', '5.2/headers-line-feed', texts),

  // §5.2: the resource, the signed text and the signature
  place('resourceBucket', 'the bucket in the resource', '5.2/resource-bucket', texts, instead(ENCODERS)),
  place('resourceKey', 'the key in the resource', '5.2/resource-raw', texts, instead(ENCODERS), returned(own.KEY_ENCODERS), returned(own.CLEANED_KEYS)),
  place(
    'resourcePieces',
    'the resource',
    '5.2/resource',
    listed(laidOut(['the bucket', 'the key'], ['the first slash', 'the second slash'])),
    aroundList(own.BARE_BUCKETS),
  ),
  place('resourceText', 'the resource', '5.2/resource', texts, instead(ENCODERS)),
  place('signedPolicy', 'the signed callback policy', '5.2/policy-signed', texts),
  place(
    'signedPieces',
    'the string to sign',
    '5.2/positional-order',
    listed(
      laidOut(
        ['the verb', 'Content-MD5', 'Content-Type', 'Date', 'the extra headers', 'the resource', 'the policy'],
        ['the break after the verb', 'the break after Content-MD5', 'the break after Content-Type', 'the break after Date'],
      ),
    ),
    around(own.FURTHER_LINES),
  ),
  place('stringToSign', 'the string to sign', '5.2/positional-order', texts, instead(ENCODERS)),
  place('hmacKeyBytes', 'the key of the HMAC', '5.2/hmac-key-utf-8', instead(KEYS), instead(CHARSETS)),
  place('hmacTextBytes', 'the text that is signed', '5.2/utf-8', instead(CHARSETS)),
  place('hmacSha1', 'the digest of a file request', '5.2/hmac-sha1', instead(DIGESTS)),
  place('fileSignatureText', 'the signature of a file request', '5.2/standard-base64', instead(BYTES_TEXTS), texts),

  // §5.2: the header that carries it
  place('sentScheme', 'the scheme in Authorization', '5.2/scheme-case', texts, instead(own.SCHEMES)),
  place('sentPublicKey', 'the public key in Authorization', '5.2/header-form', texts, instead(ENCODERS)),
  place('sentSignature', 'the signature in Authorization', '5.2/header-form', texts, instead(ENCODERS)),
  place('sentPolicy', 'the callback policy in Authorization', '5.2/policy-header', texts, instead(ENCODERS)),
  place(
    'authorizationPieces',
    'the value of Authorization',
    '5.2/header-form',
    listed(laidOut(['the scheme', 'the public key', 'the signature', 'the policy'], ['the space', 'the colon', 'the colon before the policy'])),
  ),
  place('authorizationValue', 'the value of Authorization', '5.2/header-form', instead(own.AUTHORIZATIONS)),
  place('authorizationText', 'the value of Authorization', '5.2/header-form', texts),

  // §4.3 and observed: form upload, callback policy, instant upload
  place('formField', 'the value of a form field', '4.3/form-content-type', texts, instead(own.FORM_FIELDS)),
  place('formPositionalValues', 'the list of positional lines of a form', '4.3/form-content-type', around(own.FORM_LINES)),
  place('formMethod', 'the verb of a form upload', '4.3/form-content-type', instead(own.FORM_METHODS)),
  place('policyMembers', 'the list of policy members', '5.2/policy-text', lists, pairs, instead(ORDERS)),
  place('policyMember', 'a member of the callback policy', '5.2/policy-text', texts, instead(own.POLICY_MEMBERS)),
  place('policyJson', 'the JSON of the callback policy', '5.2/policy-text', instead(own.POLICY_JSONS), texts),
  place('policyBytes', 'the JSON of the callback policy', '5.2/policy-text', instead(CHARSETS)),
  place('policyText', 'the text of the callback policy', '5.2/policy-text', instead(BYTES_TEXTS), texts),
  place('instantUploadMethod', 'the verb of an instant upload', '4.3/instant-upload-resource', instead(own.INSTANT_METHODS)),
  place('instantUploadKey', 'the signed key of an instant upload', '4.3/instant-upload-resource', instead(own.INSTANT_KEYS), texts, returned(ENCODERS)),
  place(
    'instantUploadPairs',
    'the list of instant upload parameters',
    '4.3/instant-upload-target',
    lists,
    listed(arranged(['Hash', 'FileName', 'FileSize'])),
    around(own.INSTANT_PAIRS),
  ),
  place('instantUploadValue', 'the value of an instant upload parameter', '4.3/instant-upload-target', instead(ENCODERS), texts, given(TEXTS)),
  place('instantUploadPath', 'the path of an instant upload', '4.3/instant-upload-target', texts),
  place('instantUploadTarget', 'the target of an instant upload', '4.3/instant-upload-target', texts, aroundList(own.FILE_NAMES)),

  // §5.4: pre-signed URLs
  place('presignedMd5', 'the Content-MD5 line of a pre-signed URL', '5.4/empty-positions', instead(own.presignedLine('Content-MD5'))),
  place('presignedType', 'the Content-Type line of a pre-signed URL', '5.4/empty-positions', instead(own.presignedLine('Content-Type'))),
  place('signedExpires', 'the signed Expires', '5.4/expires-position', texts, returned(EXPIRIES), returned(DATES)),
  place('presignedPositionalValues', 'the list of positional lines of a pre-signed URL', '5.4/expires-position', around(own.PRESIGNED_LINES)),
  place('presignedFile', 'a pre-signed URL', '5.4/canonicalization', around(own.PRESIGNED_FILES)),
  place('presignedPublicKey', 'the public key in a pre-signed URL', '5.4/parameters', instead(ENCODERS), texts),
  place('presignedExpires', 'Expires in a pre-signed URL', '5.4/expires-text', instead(ENCODERS), texts, returned(EXPIRIES)),
  place('encodedSignature', 'the signature in a pre-signed URL', '5.4/signature-encoded', instead(ENCODERS), texts, given(TEXTS)),
  place(
    'presignedPairs',
    'the list of parameters of a pre-signed URL',
    '5.4/parameter-order',
    lists,
    listed(arranged(['Expires', 'Signature'])),
    instead(ORDERS),
  ),
  place('presignedName', 'the name of a parameter of a pre-signed URL', '5.4/parameters', texts, instead(own.PRESIGNED_NAMES)),
  place('joinPresigned', 'the list of parameters of a pre-signed URL', '5.4/parameters', instead(JOINS)),
  place('hostBucket', 'the bucket in the host', '4.3/host', texts, instead(ENCODERS)),
  place('hostSuffix', 'the file host', '4.3/host', texts),
  place('fileHostName', 'the host of a pre-signed URL', '4.3/host', instead(own.HOSTS), texts),
  place('pathKey', 'the key in the path', '5.4/path-encoded', texts, returned(own.CLEANED_KEYS)),
  place('pathSegment', 'a segment of the path', '5.4/path-encoded', instead(ENCODERS), texts),
  place('filePath', 'the path of a pre-signed URL', '5.4/path-encoded', instead(own.PATHS), texts),
  place('urlScheme', 'the scheme of a pre-signed URL', '5.4/path-encoded', texts, instead(own.URL_SCHEMES)),
  place(
    'urlPieces',
    'the pre-signed URL',
    '5.4/parameters',
    listed(laidOut(['the scheme', 'the host', 'the path', 'the query'], ['the colon and slashes', 'the question mark'])),
  ),
  place('urlText', 'the pre-signed URL', '5.4/parameters', texts),

  // §5, E1: verifiers
  place('sameText', 'the comparison of signatures', '5/mismatch-refused', instead(COMPARISONS)),
  place('sameAccount', 'the comparison of public keys', '5/key-of-account', instead(ACCOUNTS)),
  place('receivedPublicKey', 'the public key that was received', '5/key-of-account', texts),
  place('receivedSignature', 'the signature that was received', '5/mismatch-refused', texts),
  place('hasSignature', 'a request without a signature', '4.2/signature-required', instead(own.HAS_SIGNATURE)),
  place('isAuthorization', 'the header Authorization', '5.2/header-form', instead(own.AUTHORIZATION_NAMES)),
  place('ignoresParameter', 'another parameter of a pre-signed URL', '5.4/parameters', instead(own.OTHER_PARAMETERS)),
  place('verifiedRequest', 'the request that the signature is computed for', '5/mismatch-refused', around(own.VERIFIED_REQUESTS)),
  place('authorizationValues', 'the list of Authorization headers', '5.2/header-once', lists, listed(own.AUTHORIZATION_LISTS)),
  place('receivedAuthorization', 'the value of Authorization that was received', '5.2/header-form', texts),
  place('hasScheme', 'the scheme that was received', '5.2/scheme-case', instead(own.HAS_SCHEME)),
  place('credentials', 'the credentials that were received', '5.2/header-form', around(own.CREDENTIALS)),
  place('parsedAuthorization', 'the value of Authorization that was received', '5.2/header-form', around(own.PARSED)),
  place('takesPolicy', 'a callback policy', '5.2/policy-of-uploads', instead(own.TAKES_POLICY)),
  place('isPolicy', 'a callback policy', '5.2/policy-parsed', around(own.IS_POLICY)),
  place('receivedQuery', 'the query that was received', '5.3/verify-plus', instead(QUERY_TEXTS), texts),
  place('decodedText', 'a part of the query that was received', '5.3/verify-escapes', around(own.DECODERS), given(TEXTS), returned(own.DECODED_TEXTS)),
  place('receivedPairs', 'the list of parameters that was received', '4.2/query-pairs', instead(PAIR_LISTS), listed(own.RECEIVED_PAIRS), lists),
  place('decodedQuery', 'the list of parameters that was received', '4.2/query-pairs', around(own.QUERY_READERS)),
  place('receivedBody', 'the body that was received', '4.2/json-syntax', texts),
  place('jsonText', 'the body that was received', '4.2/json-syntax', around(own.JSON_READERS)),
  place('receivedMembers', 'the list of body members that was received', '4.2/json-members', listed(own.RECEIVED_MEMBERS), lists),
  place('repeatsMember', 'a body with two members of one name', '4.2/json-members', instead(own.REPEATS)),
  place('countOf', 'a parameter that comes twice', '5.4/parameters-once', instead(own.COUNTS)),
  place('missingParameter', 'a request without a required parameter', '4.2/action-required', around(own.MISSING)),
  place('receivedUrl', 'the URL that was received', '5.4/path-encoded', instead(QUERY_TEXTS), texts),
  place('verifiedHeaders', 'the list of headers of a pre-signed request', '5.4/canonicalization', lists, listed(own.VERIFIED_HEADERS)),
  place('bucketOfHost', 'the bucket of the host', '4.3/host', around(own.BUCKETS_OF_HOST)),
  place('keyOfPath', 'the key of the path', '5.4/path-encoded', around(own.DECODERS), given(TEXTS), returned(own.DECODED_TEXTS)),
  place('expirySeconds', 'the moment in Expires', '5.4/expires-text', instead(SECONDS)),
  place('isExpired', 'the expiry of a pre-signed URL', '5.4/expiry', instead(EXPIRED)),
];

/** Steps that often share one line of code. A change is applied to all of them, at a higher cost. */
export const SPANS: readonly (readonly [steps: readonly [StepName, ...StepName[]], noun: string])[] = [
  [['trimValue', 'trimPositional'], 'any header value'],
  [['unfold', 'unfoldPositional'], 'a folded header value'],
  [['resourceKey', 'pathKey'], 'the key in the resource and in the path'],
  [['contentMd5', 'contentType', 'date'], 'each positional line'],
  [['contentMd5', 'contentType'], 'each of the lines for Content-MD5 and Content-Type'],
  [['presignedType', 'presignedMd5'], 'each of the lines for Content-MD5 and Content-Type of a pre-signed URL'],
  [['fileSignatureText', 'etagText'], 'the Base64 of signatures and ETags'],
  [['etagText', 'policyText'], 'the Base64 of ETags and policies'],
  [['fileSignatureText', 'passwordText'], 'the Base64 of signatures and passwords'],
  [['hmacTextBytes', 'hmacKeyBytes'], 'each input of the HMAC (key and text)'],
  [['hmacTextBytes', 'actionTextBytes'], 'each text that is signed'],
  [['sortedParameters', 'sortedHeaders'], 'the sorted list of parameters or of extra headers'],
  [['queryName', 'queryValue'], 'each name and value in the query'],
  [['signedName', 'signedValue'], 'each name and value in the signed text'],
  [['signedName', 'queryName'], 'the name of a parameter (signed and sent)'],
  [['valueText', 'jsonValue'], 'the value of a parameter (signed and sent)'],
  [['resourceBucket', 'hostBucket'], 'the bucket in the resource and in the host'],
  [['blockHash', 'partHash'], 'the content that any ETag covers'],
  [['presignedPublicKey', 'presignedExpires', 'encodedSignature'], 'each value in a pre-signed URL'],
  [['presignedPublicKey', 'presignedExpires'], 'each value but the signature in a pre-signed URL'],
  [['sentPublicKey', 'presignedPublicKey'], 'the public key that is sent'],
  [['signedExpires', 'presignedExpires'], 'Expires (signed and sent)'],
  [['signedNumber', 'jsonValue'], 'a number (signed and sent)'],
  [['elementName', 'memberName'], 'the name of a list element or object member'],
  [['flattenedList', 'flattenedObject'], 'a list or an object among the parameters'],
  [['signedPolicy', 'sentPolicy'], 'the callback policy (signed and sent)'],
  [['resourceKey', 'resourceBucket'], 'each part of the resource (bucket and key)'],
  [['signedHeaderName', 'signedHeaderValue'], 'each name and value of an extra header'],
];
