/**
 * The places of mistakes: each step with its noun, the rule that it follows, and the changes that fit its kind of value.
 *
 * @module
 */

import { BYTES_TEXTS, CHARSETS, KEYS } from './changes/bytes.ts';
import type { Fix, StepName } from './changes/change.ts';
import { DIGESTS } from './changes/digests.ts';
import { ENCODERS } from './changes/encoders.ts';
import { BLOCK_LISTS, BLOCK_SIZES, COUNT_BYTES, ETAG_LAYOUTS, FILE_DIGESTS } from './changes/etag.ts';
import { FOLDS, INNER_WHITESPACE, TRIMS } from './changes/headers.ts';
import { JOINS } from './changes/joins.ts';
import { arranged, LISTS, laidOut, PAIRS } from './changes/lists.ts';
import { DATES, EXPIRIES } from './changes/moments.ts';
import { BOOLEANS, NUMBER_SIGNS, NUMBERS } from './changes/numbers.ts';
import { ORDERS } from './changes/orders.ts';
import {
  BASE64,
  COLONS,
  DECODED,
  ENDS,
  JSON_ESCAPES,
  LETTERS,
  MARKS,
  MISSING,
  PERCENT_ENCODED,
  QUOTES,
  SIGNED_FIRST,
  TEXTS,
  WHITESPACE,
} from './changes/texts.ts';
import { ELEMENT_NAMES, JSON_VALUES, MEMBER_NAMES } from './changes/values.ts';
import { ACCOUNTS, COMPARISONS, EXPIRED, EXPIRY_ORDERS, PAIR_LISTS, QUERY_TEXTS, SECONDS } from './changes/verifying.ts';
import {
  around,
  aroundList,
  aroundText,
  given,
  instead,
  insteadForChangedCharacters,
  insteadForNumbers,
  listed,
  returned,
  type StepChange,
  unchecked,
  withFix,
  withFixes,
  withRule,
} from './kinds.ts';
import * as forms from './single-step/action-forms.ts';
import * as etag from './single-step/etag.ts';
import * as extra from './single-step/extra-headers.ts';
import * as parameters from './single-step/parameters.ts';
import * as positional from './single-step/positional-lines.ts';
import * as presigned from './single-step/presigned-urls.ts';
import * as checks from './single-step/request-checks.ts';
import * as resource from './single-step/resource.ts';
import * as signedParameters from './single-step/signed-parameters.ts';
import * as uploads from './single-step/uploads.ts';
import * as verifiers from './single-step/verifiers.ts';

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
const signedFirst = returned({ fix: TEXTS.fix, changes: SIGNED_FIRST });
const textsBefore = given(TEXTS);
/** A fix in place of that of some changes of texts, with the rule that they break if not that of the place. */
type OtherFix = readonly [old: Fix, fix: string, rule?: string];
const fixedTexts = (changes: readonly StepChange[], ...others: readonly OtherFix[]): readonly StepChange[] =>
  withFixes(new Map(others.map(([old, fix, rule]) => [old.fix, { fix, rule }])), changes);

const ONE_SPACE = 'replace each fold of {noun} with one space, and keep all other whitespace inside it';
const TRIM = 'remove spaces and tabs at both ends of {noun}, and no other whitespace';
const positionalTexts = fixedTexts(
  texts,
  [ENDS, TRIM],
  [WHITESPACE, ONE_SPACE],
  [MISSING, 'sign the value of the header on its line; look up the name of the header in any letter case'],
);
const INNER = '5.2/headers-inner-blanks';
const ONLY_COLON = 'remove spaces and tabs only around the colon after the name of a header, not around a colon in its value';
const extraTexts = fixedTexts(
  texts,
  [ENDS, TRIM, INNER],
  [WHITESPACE, ONE_SPACE, INNER],
  [COLONS, ONLY_COLON, INNER],
  [PERCENT_ENCODED, PERCENT_ENCODED.fix, INNER],
);
const receivedTexts = fixedTexts(texts, [DECODED, 'decode only the query, and only once; do not decode {noun} after that']);

/** Texts with escapes, which are in upper case. */
const ESCAPES: OtherFix = [LETTERS, 'write the digits of escapes in {noun} in upper case, and do not change other letters'];
const encodedTexts = fixedTexts(texts, ESCAPES, [PERCENT_ENCODED, 'percent-encode only once: {noun} is already encoded']);
const joinedTexts = fixedTexts(texts, ESCAPES, [PERCENT_ENCODED, 'percent-encode the parts of {noun}, but not the separators between them']);
const ENCODED_ONCE: OtherFix = [PERCENT_ENCODED, 'percent-encode {noun} only once'];
const unencodedTexts = fixedTexts(textsBefore, ENCODED_ONCE);
const DECODED_ONCE: OtherFix = [DECODED, 'percent-decode {noun} only once'];
const SPLIT_FIRST: OtherFix = [DECODED, 'split {noun} into its parts before you percent-decode them'];
const BASE64_ONCE: OtherFix = [BASE64, 'encode {noun} in Base64 only once'];
const standardBase64Texts = fixedTexts(texts, BASE64_ONCE, [MARKS, 'write {noun} in standard Base64, with "+" and "/"']);
const urlBase64Texts = fixedTexts(texts, BASE64_ONCE, [MARKS, 'write {noun} in URL-safe Base64, with "-" and "_"']);
const JSON_ONCE: OtherFix = [JSON_ESCAPES, 'escape {noun} for JSON only once'];
const QUOTED_ONCE: OtherFix = [QUOTES, 'put {noun} into quotes only once'];
const jsonTexts = fixedTexts(texts, [JSON_ESCAPES, 'do not write {noun} as a JSON string']);
/** The text of a number always looks like one, so the changes of numbers describe it better. */
const textsOfNumbers = texts.filter(({ id }) => !/^(?:as-.*|number-zeros-lost|integer-zeros-lost|zeros-lost)$/.test(id));
const lists = listed(LISTS);
const pairs = listed(PAIRS);
const actions = listed(arranged(ACTION_NAMES, 'at its place in byte order')).flatMap((change) =>
  // Signature is never signed.
  change.id.startsWith('signature-') ? withFix('leave the parameter Signature out of {noun}', [change]) : [change],
);
const orders = instead(ORDERS);
const parameterOrders = withRule('5.1/sort-bytes', withFix('sort by the UTF-8 bytes of the names', orders));
const headerOrders = withFix('sort by the UTF-8 bytes of the names in lower case, and keep the order of equal names', orders);
const joins = (fix: string): readonly StepChange[] => withFix(`join all entries of {noun} in their order, ${fix}`, instead(JOINS));

const LOWER_CASE_HEXADECIMAL = 'write {noun} as 40 lower-case hexadecimal digits';
const hexadecimal = withFix(LOWER_CASE_HEXADECIMAL, instead(BYTES_TEXTS));
const base64 = withFix('write {noun} in standard Base64 with padding, without line breaks', instead(BYTES_TEXTS));
const base64Url = withFix('write {noun} in URL-safe Base64 with padding, without line breaks', instead(BYTES_TEXTS));

const encoders = instead(ENCODERS);
const urlEncoders = insteadForChangedCharacters(ENCODERS);
/** Libraries encode paths with another function than other texts, and it may be correct. */
const encodersBesidePaths = urlEncoders.map((change) => ({
  ...change,
  id: `${change.id}-beside-paths`,
  clause: `${change.clause} (except in a path)`,
  cost: change.cost + 1,
  also: { ...change.also, ...presigned.CORRECT_PATH },
}));
/** Where the specification has no percent-encoding. */
const UNENCODED = 'write {noun} without percent-encoding';
const neverEncoded = withFix(UNENCODED, instead(ENCODERS)).map((change) => ({ ...change, rule: undefined }));

const VERB = 'sign the method of the request in upper case, and change nothing else';

/** The rules of changes of a received query, if not that of its place. */
const QUERY_RULES: readonly (readonly [ids: RegExp, rule: string])[] = [
  [/^plus$/, '5.3/verify-plus'],
  [/equals$/, '5.3/verify-equals'],
  [/^bad-/, '5.3/verify-escapes'],
  [/decoded|^latin-1$|^u-escapes$/, '5.3/signed-unencoded'],
];
const withQueryRule = (change: StepChange): StepChange => ({ ...change, rule: QUERY_RULES.find(([ids]) => ids.test(change.id))?.[1] });

/** The pieces of the string to sign; an absent header leaves an empty line. */
const signedLines = listed(
  laidOut(
    ['the verb', 'Content-MD5', 'Content-Type', 'Date', 'the extra headers', 'the resource', 'the policy'],
    ['the break after the verb', 'the break after Content-MD5', 'the break after Content-Type', 'the break after Date'],
  ),
).map((change) => (/^without-(?:.*-when-empty|empty-pieces)$/.test(change.id) ? { ...change, rule: '5.2/positional-absent' } : change));

/** Each step that can be wrong, in the order of the specification. */
export const PLACES: readonly Place[] = [
  // §2: the ETag
  place('blockSize', 'the block size of the ETag', '8/etag-block-size', instead(BLOCK_SIZES)),
  place('blockHash', 'the content of a file', '2/etag-blocks', instead(etag.READINGS)),
  place('hashedBlocks', 'the list of block digests', '2/etag-block-order', returned(BLOCK_LISTS)),
  place('fileDigest', 'the digest in the ETag', '2/etag-large', instead(FILE_DIGESTS)),
  place('etagDigest', 'the digest in the ETag', '2/etag-layout', returned(etag.DIGEST_BYTES)),
  place('countBytes', 'the block count in the ETag', '2/etag-layout', instead(COUNT_BYTES)),
  place('etagLayout', 'the ETag before Base64', '2/etag-layout', instead(ETAG_LAYOUTS)),
  place('etagText', 'the text of the ETag', '2/etag-url-safe', base64Url, urlBase64Texts, around(etag.ETAG_TEXTS)),
  place('partHash', 'the ETag of a part', '2/etag-part', instead(etag.PART_READINGS)),
  place('partHash', 'the content of a part', '2/etag-part', instead(etag.PART_CONTENTS)),
  place('partEtagBytes', 'the ETag of a part before Base64', '2/etag-part', returned(etag.DIGEST_BYTES), instead(etag.PART_BYTES)),
  place('partEtagText', 'the text of the ETag of a part', '2/etag-part', base64Url, urlBase64Texts),

  // §4.2: Password
  place('passwordBytes', 'the password', '4.2/password-utf-8', instead(CHARSETS), fixedTexts(textsBefore, BASE64_ONCE)),
  place('passwordText', 'the value of Password', '4.2/password-base64', base64, standardBase64Texts, returned(parameters.PASSWORD_TEXTS)),
  place('password', 'the password', '4.2/password-base64', around(parameters.PASSWORDS)),

  // §5.1: the set of parameters
  place('flattenedList', 'a list among the parameters', '5.1/flattening', around(parameters.LIST_FORMS)),
  place('flattenedObject', 'an object among the parameters', '5.1/flattening', around(parameters.OBJECT_FORMS)),
  place('flattened', 'the list of flattened parameters', '5.1/flattening', pairs, lists, around(parameters.FLATTENED)),
  place('flattened', 'a parameter', '5.1/all-parameters', around(parameters.TOP_VALUES)),
  place('listItems', 'a list among the parameters', '5.1/flattening', lists, listed(parameters.ITEM_TEXTS), around(parameters.ITEMS)),
  place('objectMembers', 'an object among the parameters', '5.1/flattening', lists, listed(parameters.MEMBER_TEXTS), around(parameters.MEMBERS)),
  place('elementName', 'the name of a list item', '5.1/flattening', instead(ELEMENT_NAMES)),
  place('memberName', 'the name of an object member', '5.1/flattening', instead(MEMBER_NAMES)),
  place('nullParameter', 'a parameter that is null', '5.1/null', instead(parameters.NULLS)),
  place('isPresentValue', 'a parameter', '5.1/all-parameters', instead(parameters.PRESENT)),
  place('isSignedParameter', 'the parameter Signature', '5.1/signature-excluded', around(parameters.SIGNED)),
  place('isSignedParameter', 'a parameter', '5.1/all-parameters', around(parameters.LEFT_OUT_TOO)),
  place('checkNames', 'a repeated parameter name', '5.1/repeated-name', unchecked('refuse two parameters with the same name')),
  place('checkNames', 'a request', '5.1/repeated-name', instead(parameters.PARAMETER_NAME_CHECKS)),
  place(
    'parameterSet',
    'the set of parameters',
    '5.1/all-parameters',
    actions,
    pairs,
    lists,
    listed(parameters.PASSWORD_VALUES),
    listed(parameters.PARAMETER_SETS),
  ),
  place('isSentParameter', 'a parameter', '4.2/query-pairs', instead(parameters.SENT)),

  // §5.1: the text of a value
  place('heldText', 'the text of a parameter (signed and sent)', '5.1/unescaped', signedFirst, instead(parameters.HELD_TEXTS)),
  place('stringText', 'the text of a string parameter', '5.1/unescaped', signedFirst),
  place('booleanText', 'the text of a boolean', '5.1/booleans', instead(BOOLEANS), instead(parameters.SENT_BOOLEANS)),
  place('otherNumber', 'a value that is not a JSON number', '5.1/number-syntax', instead(parameters.OTHER_NUMBERS)),
  place('heldNumber', 'every number', '5.1/number-precision', instead(parameters.HELD), instead(NUMBERS), returned(NUMBER_SIGNS)),
  place('numberText', 'a number in signed texts and queries', '5.1/plain-decimal', instead(NUMBERS), returned(NUMBER_SIGNS)),
  place('signOfZero', 'minus zero', '5.1/number-fraction', instead(parameters.ZERO_SIGNS)),
  place('signedNumber', 'a signed number', '5.1/plain-decimal', insteadForNumbers(NUMBERS), returned(NUMBER_SIGNS), textsOfNumbers),
  place('valueText', 'the text of a value', '5.1/unescaped', signedFirst),
  place('parameterText', 'each parameter (signed, and sent in queries)', '5.1/plain-decimal', around(parameters.NESTED_VALUES)),

  // §5.1: the string to sign and its digest
  place('sortedParameters', 'the list of parameters', '5.1/sort-bytes', parameterOrders, actions, lists, around(parameters.ENCODED_ORDERS)),
  place(
    'signedPairs',
    'the list of signed parameters',
    '5.1/all-parameters',
    parameterOrders,
    actions,
    pairs,
    lists,
    withFix(parameters.NAMES_BEFORE_SORTING.fix, listed(parameters.NAMES_BEFORE_SORTING)),
    withFix(parameters.SIGNED_PUBLIC_KEYS.fix, listed(parameters.SIGNED_PUBLIC_KEYS)),
  ),
  place(
    'signedPairs',
    'the signed text',
    '5.1/all-parameters',
    instead(parameters.SIGNED_BOOLEANS),
    instead(parameters.SIGNED_NUMBERS),
    withFix(parameters.SIGNED_ITEMS.fix, instead(parameters.SIGNED_ITEMS)),
  ),
  place('signedPairs', 'a parameter', '5.1/all-parameters', instead(parameters.UNSIGNED)),
  place('signedName', 'the signed name of a parameter', '5.1/concatenation', texts, neverEncoded),
  place('signedValue', 'the signed text of a value', '5.1/unescaped', texts, neverEncoded),
  place('parameterEntry', 'a signed parameter (name and value)', '5.1/concatenation', instead(signedParameters.ENTRIES), texts),
  place('joinParameterEntries', 'the list of signed parameters', '5.1/concatenation', joins('without separators')),
  place('parametersText', 'the signed text of all parameters', '5.1/concatenation', instead(signedParameters.LAYOUTS)),
  place('actionText', 'the signed text before the private key', '5.1/concatenation', texts, neverEncoded, returned(signedParameters.PREFIXES)),
  place('actionKey', 'the private key at the end of the signed text', '5.1/private-key-last', texts),
  place('actionPieces', 'the string to sign of an action', '5.1/private-key-last', listed(laidOut(['the parameters', 'the private key'], []))),
  place('withPrivateKey', 'the string to sign of an action', '5.1/private-key-last', texts, instead(signedParameters.KEY_MARKS)),
  place('actionTextBytes', 'the text that an action hashes', '5.1/utf-8', instead(CHARSETS)),
  place('actionDigest', 'the digest of an action', '5.1/sha1', instead(signedParameters.ACTION_DIGESTS), instead(signedParameters.ACTION_SCHEMES)),
  place(
    'actionSignatureText',
    'the signature of an action',
    '5.1/hexadecimal',
    hexadecimal,
    fixedTexts(texts, [LETTERS, LOWER_CASE_HEXADECIMAL]),
    instead(signedParameters.UNESCAPED_TEXTS),
  ),

  // §4.1, §4.2, §5.3: the forms of a request
  place('checkPresent', 'the presence of required parameters', '4.2/action-required', around(checks.PRESENCE)),
  place('urlEncode', 'a text in a URL', '5.3/escaped', urlEncoders, encodersBesidePaths),
  place('urlEncode', 'an unencoded text in a URL', '5.3/escaped', unencodedTexts),
  place('urlEncode', 'an encoded text in a URL', '5.3/escaped', encodedTexts),
  place('signatureOfFlat', 'the list of parameters of an action', '4.2/query-pairs', around(signedParameters.SENT_KEYS)),
  place('signatureOfFlat', 'the string to sign of an action', '5.1/private-key-last', around(signedParameters.KEYS_IN_ORDER)),
  place('signatureOfFlat', 'the query', '4.2/query-pairs', around(signedParameters.SENT_PAIRS)),
  place('signatureOfFlat', 'the signed text', '5.1/flattening', around(signedParameters.SIGNED_FORMS)),
  place('queryName', 'the name of a parameter in the query', '5.3/names-and-values', encoders, around(forms.QUERY_NAMES)),
  place('queryName', 'the encoded name of a parameter in the query', '5.3/names-and-values', encodedTexts),
  place('queryValue', 'the value of a parameter in the query', '5.3/names-and-values', encoders),
  place('queryValue', 'the encoded value of a parameter in the query', '5.3/names-and-values', encodedTexts),
  place('queryValue', 'the unencoded value of a parameter in the query', '5.3/names-and-values', unencodedTexts),
  place('queryPair', 'a pair of the query', '4.2/query-pairs', joinedTexts, instead(forms.QUERY_PAIRS)),
  place('querySignature', 'the signature in the query', '4.2/query-signature-last', texts),
  place('queryPairs', 'the list of query pairs', '4.2/query-signature-last', instead(forms.QUERY_LISTS), lists),
  place('signatureName', 'the name of the parameter Signature', '4.2/signature-required', instead(forms.SIGNATURE_NAMES)),
  place('joinQuery', 'the list of query pairs', '4.2/query-pairs', joins('with "&" between them')),
  place('queryText', 'the query', '4.2/query-pairs', joinedTexts),
  place('bucketTarget', 'the target of a bucket request', '4.1/get-root', instead(forms.TARGETS), joinedTexts),
  place('jsonName', 'the quoted name of a parameter in the body', '4.2/json-members', fixedTexts(texts, JSON_ONCE, QUOTED_ONCE)),
  place(
    'jsonName',
    'the name of a parameter in the body',
    '4.2/json-members',
    fixedTexts(textsBefore, JSON_ONCE, QUOTED_ONCE),
    withFix('write {noun} as a JSON string', instead(JSON_VALUES)),
  ),
  place('jsonValue', 'the value of a parameter in the body', '4.2/json-numbers', instead(JSON_VALUES), around(forms.JSON_NUMBERS)),
  place('jsonValue', 'a number in the body', '4.2/json-numbers', around(forms.JSON_NUMBER_TEXTS)),
  place('jsonValue', 'the JSON of a value in the body', '4.2/json-numbers', fixedTexts(texts, JSON_ONCE, QUOTED_ONCE)),
  place('jsonMembers', 'the list of body members', '4.2/json-members', lists, around(forms.JSON_FORMS)),
  place('jsonSignature', 'the signature in the body', '4.2/json-members', texts),
  place('jsonBody', 'the body', '4.2/json-members', instead(forms.BODIES)),
  place('bodyText', 'the body', '4.2/json-members', jsonTexts),

  // §5.2: checks
  place('checkMethod', 'the method', '5.2/verb-token', around(checks.METHOD_CHECKS)),
  place('checkBucket', 'the bucket name', '5.2/resource-bucket', around(checks.BUCKET_CHECKS)),
  place('checkHeaders', 'the list of headers', '5.2/headers-name-token', around(checks.HEADER_CHECKS)),
  place('checkHeaderName', 'the name of a header', '5.2/headers-name-token', around(checks.NAME_CHECKS)),
  place('checkHeaderValue', 'the value of a header', '5.2/headers-value-line-end', around(checks.VALUE_CHECKS)),
  place('checkRequest', 'a file request', '5.2/headers-name-token', unchecked('refuse a method, a bucket name or a header that HTTP cannot carry')),

  // §5.2: the positional lines
  place('verb', 'the verb', '5.2/verb', withFix(VERB, texts), instead(positional.VERBS)),
  place('verb', 'the verb in the case of the input', '5.2/verb', withFix(VERB, instead(TEXTS))),
  place('isPositional', 'the search for Content-MD5, Content-Type and Date', '5.2/positional-name-case', instead(positional.POSITIONAL_NAMES)),
  place('oneValue', 'the value of a repeated Content-MD5, Content-Type or Date', '5.2/positional-repeated', instead(positional.REPEATED)),
  place('unfoldPositional', 'the value of Content-MD5, Content-Type or Date', '5.2/positional-fold', instead(FOLDS), instead(INNER_WHITESPACE)),
  place('trimPositional', 'the value of Content-MD5, Content-Type or Date', '5.2/positional-blanks', instead(TRIMS)),
  place(
    'positionalValue',
    'the value of Content-MD5, Content-Type or Date',
    '5.2/positional-values',
    positionalTexts,
    returned(extra.HEADER_VALUES),
    aroundText(positional.POSITIONAL_LINES),
  ),
  place(
    'contentMd5',
    'the Content-MD5 line',
    '5.2/positional-order',
    positionalTexts,
    returned(positional.MD5_LINES),
    around(positional.refusedForms('Content-MD5')),
    aroundText(positional.otherHeader('Content-MD5')),
  ),
  place(
    'contentType',
    'the Content-Type line',
    '5.2/positional-order',
    positionalTexts,
    returned(positional.TYPE_LINES),
    around(positional.TYPES_OF_ABSENT),
    around(positional.refusedForms('Content-Type')),
    aroundText(positional.otherHeader('Content-Type')),
  ),
  place(
    'date',
    'the Date line',
    '5.2/date-opaque',
    positionalTexts,
    returned(DATES),
    withFix('sign the text of Date without converting it', returned(EXPIRIES)),
    aroundText(positional.DATE_LINES),
    around(positional.refusedForms('Date')),
    withRule('5.2/positional-order', aroundText(positional.otherHeader('Date'))),
  ),
  place('positionalValues', 'the string to sign', '5.2/positional-order', around(positional.LINES)),

  // §5.2: the extra headers
  place('trimName', 'the name of an extra header', '5.2/headers-colon-blanks', instead(TRIMS)),
  place('isExtraHeader', 'the filter for extra headers', '5.2/headers-selected', instead(extra.SELECTIONS)),
  place(
    'lowerCaseName',
    'the name of an extra header',
    '5.2/headers-lower-case',
    instead(extra.HEADER_NAMES),
    withFix('convert {noun} to lower case, and change nothing else', texts),
  ),
  place('unfold', 'the value of an extra header', '5.2/headers-unfolded', instead(FOLDS), withRule(INNER, instead(INNER_WHITESPACE))),
  place('trimValue', 'the value of an extra header', '5.2/headers-colon-blanks', instead(TRIMS)),
  place('extraValue', 'a value of an extra header', '5.2/headers-merged', extraTexts, returned(extra.HEADER_VALUES)),
  place('extraHeaders', 'the block of extra headers', '5.2/headers-selected', around(extra.HEADER_ROUTES)),
  place('extraHeaders', 'the list of headers that are sent', '5.2/headers-selected', given(PAIRS)),
  place(
    'extraList',
    'the list of unmerged extra headers',
    '5.2/headers-merged',
    lists,
    pairs,
    listed(uploads.FIRST_HEADERS),
    listed(extra.EXTRA_LISTS),
    withFix('keep headers of one name in the order of the request until they are merged', orders),
  ),
  place('valuesOfName', 'the list of values of one extra header', '5.2/headers-merged', lists, listed(extra.VALUE_LISTS)),
  place('joinValues', 'the list of values of one extra header', '5.2/headers-merged', joins('with a "," and no space between them'), around(extra.VALUE_JOINS)),
  place('mergedHeaders', 'the list of merged extra headers', '5.2/headers-merged', around(extra.MERGES), pairs),
  place('sortedHeaders', 'the list of extra headers', '5.2/headers-sorted', headerOrders, lists, pairs),
  place(
    'signedHeaderName',
    'the signed name of an extra header',
    '5.2/headers-lower-case',
    fixedTexts(texts, [LETTERS, 'write {noun} in lower case']),
    instead(extra.SIGNED_NAMES),
  ),
  place('signedHeaderValue', 'the signed value of an extra header', '5.2/headers-merged', extraTexts, withRule(INNER, instead(extra.VALUES))),
  place('headerPieces', 'the line of an extra header', '5.2/headers-line-feed', listed(laidOut(['the name', 'the value'], ['the colon', 'the line feed']))),
  place('joinHeaderEntries', 'the list of extra header lines', '5.2/headers-line-feed', joins('each with its line feed and nothing between them')),
  place('canonicalHeaders', 'the block of extra headers', '5.2/headers-none', aroundText(extra.CANONICAL)),
  place(
    'headersText',
    'the text of the extra headers',
    '5.2/headers-line-feed',
    fixedTexts(texts, [LETTERS, 'write the names of extra headers in lower case, and their values as given']),
  ),

  // §5.2: the resource, the signed text and the signature
  place('resourceBucket', 'the bucket in the resource', '5.2/resource-bucket', texts, neverEncoded),
  place(
    'resourceKey',
    'the key in the resource',
    '5.2/resource',
    fixedTexts(texts, [DECODED, DECODED.fix, '5.2/resource-raw'], [PERCENT_ENCODED, PERCENT_ENCODED.fix, '5.2/resource-raw']),
    withRule('5.2/resource-raw', neverEncoded),
    withRule('5.2/resource-raw', withFix(resource.KEY_ENCODERS.fix, returned(resource.KEY_ENCODERS))),
    returned(resource.CLEANED_KEYS),
  ),
  place(
    'resourcePieces',
    'the resource',
    '5.2/resource',
    listed(laidOut(['the bucket', 'the key'], ['the first slash', 'the second slash'])),
    aroundList(resource.BARE_BUCKETS),
  ),
  place('resourceText', 'the resource', '5.2/resource', texts, neverEncoded, returned(resource.RESOURCE_TEXTS)),
  place('signedPolicy', 'the signed callback policy', '5.2/policy-signed', texts),
  place(
    'signedPieces',
    'the string to sign',
    '5.2/positional-order',
    signedLines,
    around(resource.FURTHER_LINES),
    around(uploads.POLICY_TEXTS),
    around(positional.ABSENT_LINES),
  ),
  place('stringToSign', 'the string to sign', '5.2/positional-order', texts, neverEncoded),
  place('hmacKeyBytes', 'the key of the HMAC', '5.2/hmac-key-utf-8', instead(KEYS), instead(CHARSETS)),
  place('hmacTextBytes', 'the text that is signed', '5.2/utf-8', instead(CHARSETS)),
  place(
    'hmacSha1',
    'the digest of a file request',
    '5.2/hmac-sha1',
    withFix('compute the HMAC-SHA1 of the string to sign, with the private key as its key', instead(DIGESTS)),
  ),
  place('fileSignatureText', 'the signature of a file request', '5.2/standard-base64', base64, standardBase64Texts),

  // §5.2: the header that carries it
  place('sentScheme', 'the scheme in Authorization', '5.2/scheme-case', texts, instead(resource.SCHEMES)),
  place('sentPublicKey', 'the public key in Authorization', '5.2/header-form', texts, neverEncoded),
  place('sentSignature', 'the signature in Authorization', '5.2/header-form', texts, neverEncoded),
  place('sentPolicy', 'the callback policy in Authorization', '5.2/policy-header', texts, neverEncoded),
  place(
    'authorizationPieces',
    'the value of Authorization',
    '5.2/header-form',
    listed(laidOut(['the scheme', 'the public key', 'the signature', 'the policy'], ['the space', 'the colon', 'the colon before the policy'])),
  ),
  place('authorizationValue', 'the value of Authorization', '5.2/header-form', instead(resource.AUTHORIZATIONS)),
  place('authorizationText', 'the value of Authorization', '5.2/header-form', texts),

  // §4.3 and observed: form upload, callback policy, instant upload
  place('formField', 'the value of a form field', '4.3/form-content-type', texts, instead(uploads.FORM_FIELDS)),
  place('formHeaders', 'the list of headers of a form upload', '5.2/headers-selected', instead(uploads.FORM_HEADERS)),
  place('formPositionalValues', 'the string to sign of a form upload', '4.3/form-content-type', around(uploads.FORM_LINES)),
  place('formMethod', 'the verb of a form upload', '4.3/form-content-type', instead(uploads.FORM_METHODS)),
  place('policyMembers', 'the list of policy members', '5.2/policy-text', lists, pairs, withFix('keep the members of the policy in the order given', orders)),
  place('policyMember', 'a member of the callback policy', '5.2/policy-text', fixedTexts(texts, JSON_ONCE, QUOTED_ONCE), instead(uploads.POLICY_MEMBERS)),
  place('policyJson', 'the JSON of the callback policy', '5.2/policy-text', instead(uploads.POLICY_JSONS), jsonTexts),
  place('policyBytes', 'the JSON of the callback policy', '5.2/policy-text', instead(CHARSETS)),
  place('policyText', 'the text of the callback policy', '5.2/policy-text', base64Url, urlBase64Texts),
  place('instantUploadMethod', 'the verb of an instant upload', '4.3/instant-upload-resource', instead(uploads.INSTANT_METHODS)),
  place(
    'instantUploadKey',
    'the signed key of an instant upload',
    '4.3/instant-upload-resource',
    instead(uploads.INSTANT_KEYS),
    texts,
    withFix(UNENCODED, returned(ENCODERS)),
  ),
  place('instantUploadHeaders', 'the list of signed headers of an instant upload', '4.3/instant-upload-resource', instead(uploads.INSTANT_HEADERS)),
  place(
    'instantUploadPairs',
    'the list of instant upload parameters',
    '4.3/instant-upload-target',
    lists,
    listed(arranged(['Hash', 'FileName', 'FileSize'], 'in the order Hash, FileName, FileSize')),
    around(uploads.INSTANT_PAIRS),
  ),
  place('instantUploadName', 'the name of an instant upload parameter', '4.3/instant-upload-target', instead(uploads.INSTANT_NAMES)),
  place('instantUploadValue', 'the value of an instant upload parameter', '4.3/instant-upload-target', encoders),
  place('instantUploadValue', 'the encoded value of an instant upload parameter', '4.3/instant-upload-target', encodedTexts),
  place('instantUploadValue', 'the unencoded value of an instant upload parameter', '4.3/instant-upload-target', unencodedTexts),
  place('instantUploadPath', 'the path of an instant upload', '4.3/instant-upload-target', texts),
  place(
    'instantUploadTarget',
    'the target of an instant upload',
    '4.3/instant-upload-target',
    joinedTexts,
    around(uploads.INSTANT_TARGETS),
    aroundList(uploads.FILE_NAMES),
    aroundList(uploads.CUT_FILE_NAMES),
  ),

  // §5.4: pre-signed URLs
  place('presignedMd5', 'the Content-MD5 line of a pre-signed URL', '5.4/empty-positions', instead(presigned.presignedLine('Content-MD5'))),
  place('presignedType', 'the Content-Type line of a pre-signed URL', '5.4/empty-positions', instead(presigned.presignedLine('Content-Type'))),
  place('signedExpires', 'Expires in the signed text', '5.4/expires-position', texts, returned(EXPIRIES), returned(DATES)),
  place('presignedPositionalValues', 'the string to sign of a pre-signed URL', '5.4/expires-position', around(presigned.PRESIGNED_LINES)),
  place('presignedFile', 'a pre-signed URL', '5.4/canonicalization', around(presigned.PRESIGNED_FILES)),
  place('presignedPublicKey', 'the public key in a pre-signed URL', '5.3/names-and-values', encoders),
  place('presignedPublicKey', 'the encoded public key in a pre-signed URL', '5.3/names-and-values', encodedTexts),
  place('presignedExpires', 'Expires in a pre-signed URL', '5.4/expires-text', encoders),
  place('presignedExpires', 'the encoded Expires in a pre-signed URL', '5.4/expires-text', encodedTexts),
  place('presignedExpires', 'Expires in a pre-signed URL', '5.4/expires-text', returned(EXPIRIES)),
  place('encodedSignature', 'the signature in a pre-signed URL', '5.4/signature-encoded', encoders),
  place('encodedSignature', 'the encoded signature in a pre-signed URL', '5.4/signature-encoded', encodedTexts),
  place('encodedSignature', 'the unencoded signature in a pre-signed URL', '5.4/signature-encoded', unencodedTexts),
  place(
    'presignedPairs',
    'the list of parameters of a pre-signed URL',
    '5.4/parameter-order',
    lists,
    listed(arranged(['Expires', 'Signature'], 'in the order public key, Expires, Signature')),
    withFix('write the public key, Expires and Signature in this order', orders),
  ),
  place('presignedName', 'the name of a parameter of a pre-signed URL', '5.4/parameters', texts, instead(presigned.PRESIGNED_NAMES)),
  place('joinPresigned', 'the list of parameters of a pre-signed URL', '5.4/parameters', joins('with "&" between them')),
  place('hostBucket', 'the bucket in the host', '4.3/host', texts, neverEncoded),
  place('hostSuffix', 'the file host', '4.3/host', texts),
  place('fileHostName', 'the host of a pre-signed URL', '4.3/host', instead(presigned.HOSTS), texts),
  place(
    'pathKey',
    'the unencoded key in the path',
    '5.4/path-encoded',
    fixedTexts(texts, ENCODED_ONCE),
    withRule('5.4/path-encoded', returned(resource.CLEANED_KEYS)),
  ),
  place('pathSegment', 'a segment of the path', '5.4/path-encoded', encoders),
  place('pathSegment', 'an encoded segment of the path', '5.4/path-encoded', encodedTexts),
  place('filePath', 'the path of a pre-signed URL', '5.4/path-encoded', instead(presigned.PATHS), around(presigned.PARSED_PATHS), joinedTexts),
  place('urlScheme', 'the scheme of a pre-signed URL', '5.4/path-encoded', texts, instead(presigned.URL_SCHEMES)),
  place(
    'urlPieces',
    'the pre-signed URL',
    '5.4/parameters',
    listed(laidOut(['the scheme', 'the host', 'the path', 'the query'], ['the colon and slashes', 'the question mark'])),
  ),
  place('urlText', 'the pre-signed URL', '5.4/path-encoded', returned(presigned.PARSED_URLS)),
  place('urlText', 'the pre-signed URL', '5.4/parameters', joinedTexts),

  // §5, E1: verifiers
  place('sameText', 'the comparison of signatures', '5/mismatch-refused', instead(COMPARISONS)),
  place('sameAccount', 'the comparison of public keys', '5/key-of-account', instead(ACCOUNTS)),
  place('unknownAccount', 'a public key of no account', '5/key-of-account', instead(verifiers.UNKNOWN_ACCOUNTS)),
  place('receivedPublicKey', 'the received public key', '5/key-of-account', receivedTexts),
  place('receivedSignature', 'the received signature', '5/mismatch-refused', receivedTexts),
  place('hasSignature', 'a request without a signature', '4.2/signature-required', instead(verifiers.HAS_SIGNATURE)),
  place('isAuthorization', 'the header Authorization', '5.2/header-form', instead(verifiers.AUTHORIZATION_NAMES)),
  place('ignoresParameter', 'another parameter of a pre-signed URL', '5.4/parameters', instead(verifiers.OTHER_PARAMETERS)),
  place('verifiedRequest', 'the request for which the signature is computed', '5/mismatch-refused', around(verifiers.VERIFIED_REQUESTS)),
  place('acceptedPolicies', 'a request with a policy', '5.2/header-form', instead(verifiers.ACCEPTED_POLICIES)),
  place('acceptedRequests', 'a request', '5/mismatch-refused', around(verifiers.ACCEPTED_REQUESTS)),
  place(
    'authorizationValues',
    'the list of Authorization headers',
    '5.2/header-once',
    withFix(verifiers.AUTHORIZATION_LISTS.fix, lists),
    listed(verifiers.AUTHORIZATION_LISTS),
  ),
  place('receivedAuthorization', 'the received value of Authorization', '5.2/header-form', texts),
  place('hasScheme', 'the received scheme', '5.2/scheme-case', instead(verifiers.HAS_SCHEME)),
  place('credentials', 'the text after the received scheme', '5.2/header-form', around(verifiers.CREDENTIALS)),
  place('parsedAuthorization', 'the received value of Authorization', '5.2/header-form', around(verifiers.PARSED)),
  place('receivedPolicy', 'the received callback policy', '5.2/policy-of-uploads', instead(verifiers.RECEIVED_POLICIES)),
  place('takesPolicy', 'a callback policy', '5.2/policy-of-uploads', instead(verifiers.TAKES_POLICY)),
  place('isPolicy', 'a callback policy', '5.2/policy-parsed', around(verifiers.IS_POLICY)),
  place('receivedQuery', 'the received query', '4.2/query-pairs', instead(QUERY_TEXTS).map(withQueryRule), fixedTexts(texts, SPLIT_FIRST)),
  place('decodedText', 'a name or a value in the received query', '5.3/verify-escapes', around(verifiers.DECODERS)),
  place('decodedText', 'an undecoded name or value in the received query', '5.3/verify-escapes', fixedTexts(textsBefore, DECODED_ONCE)),
  place('decodedText', 'a decoded name or value in the received query', '5.3/verify-escapes', returned(verifiers.DECODED_TEXTS)),
  place('receivedPairs', 'the list of received parameters', '4.2/query-pairs', instead(PAIR_LISTS), listed(verifiers.RECEIVED_PAIRS), lists),
  place('decodedQuery', 'the received query', '4.2/query-pairs', around(verifiers.QUERY_READERS)),
  place('receivedBody', 'the received body', '4.2/json-syntax', texts),
  place('jsonText', 'the received body', '4.2/json-syntax', around(verifiers.JSON_READERS)),
  place('receivedMembers', 'the list of received body members', '4.2/json-members', listed(verifiers.RECEIVED_MEMBERS), lists),
  place('repeatsMember', 'a body with two members of one name', '4.2/json-members', instead(verifiers.REPEATS)),
  place('countOf', 'a repeated parameter', '5.4/parameters-once', instead(verifiers.COUNTS)),
  place('missingParameter', 'a request', '4.2/action-required', around(verifiers.MISSING)),
  place('verifiedKey', 'the signed key of a received URL', '5.4/parameters', around(verifiers.VERIFIED_KEYS)),
  place('receivedUrl', 'the received URL', '5.4/path-encoded', instead(QUERY_TEXTS), fixedTexts(texts, SPLIT_FIRST), returned(verifiers.RECEIVED_URLS)),
  place('verifiedHeaders', 'the list of headers of a pre-signed request', '5.4/canonicalization', lists, listed(verifiers.VERIFIED_HEADERS)),
  place('bucketOfHost', 'the bucket in the received host', '4.3/host', around(verifiers.BUCKETS_OF_HOST)),
  place('keyOfPath', 'the key in the received path', '5.4/path-encoded', around(verifiers.DECODERS), around(verifiers.PATH_KEYS)),
  place('keyOfPath', 'the undecoded key in the received path', '5.4/path-encoded', fixedTexts(textsBefore, DECODED_ONCE)),
  place('keyOfPath', 'the decoded key in the received path', '5.4/path-encoded', returned(verifiers.DECODED_TEXTS)),
  place('expirySeconds', 'the received Expires', '5.4/expires-text', instead(SECONDS)),
  place('isExpiryFirst', 'the expiry of a pre-signed URL', '5.4/expiry-first', instead(EXPIRY_ORDERS)),
  place('isExpired', 'the expiry of a pre-signed URL', '5.4/expiry', instead(EXPIRED), instead(verifiers.EXPIRED_TEXTS)),
];

/** Steps that often share one line of code. A change is applied to all of them, at a higher cost. */
export const SPANS: readonly (readonly [steps: readonly [StepName, ...StepName[]], noun: string])[] = [
  [['trimValue', 'trimPositional'], 'each header value'],
  [['unfold', 'unfoldPositional'], 'each header value'],
  [['resourceKey', 'pathKey'], 'the unencoded key (in the resource and in the path)'],
  [['contentMd5', 'contentType', 'date'], 'the line for Content-MD5, Content-Type or Date'],
  [['contentMd5', 'contentType'], 'the line for Content-MD5 or Content-Type'],
  [['presignedType', 'presignedMd5'], 'the line for Content-MD5 or Content-Type of a pre-signed URL'],
  [['fileSignatureText', 'etagText'], 'the text of a signature or an ETag'],
  [['etagText', 'policyText'], 'the text of an ETag or a callback policy'],
  [['fileSignatureText', 'passwordText'], 'the text of a signature or a password'],
  [['hmacTextBytes', 'hmacKeyBytes'], 'each input of the HMAC (key and text)'],
  [['hmacTextBytes', 'actionTextBytes'], 'each text that is signed'],
  [['sortedParameters', 'sortedHeaders'], 'each list (parameters and extra headers)'],
  [['queryName', 'queryValue'], 'a name or a value in the query'],
  [['signedName', 'signedValue'], 'a name or a value in the signed text'],
  [['signedName', 'queryName'], 'the name of a parameter (signed and sent)'],
  [['resourceBucket', 'hostBucket'], 'the bucket in the resource and in the host'],
  [['blockHash', 'partHash'], 'the content of each file and part'],
  [['presignedPublicKey', 'presignedExpires', 'encodedSignature'], 'a value in a pre-signed URL'],
  [['presignedPublicKey', 'presignedExpires'], 'a value before Signature in a pre-signed URL'],
  [['sentPublicKey', 'presignedPublicKey'], 'the public key in Authorization and in a pre-signed URL'],
  [['signedExpires', 'presignedExpires'], 'Expires (signed and sent)'],
  [['signedNumber', 'jsonValue'], 'a number (signed and in bodies)'],
  [['numberText', 'jsonValue'], 'a number (signed, in queries and in bodies)'],
  [['elementName', 'memberName'], 'the name of each list item and object member'],
  [['listItems', 'objectMembers'], 'each list and object among the parameters'],
  [['flattenedList', 'flattenedObject'], 'each list or object among the parameters'],
  [['signedPolicy', 'sentPolicy'], 'the callback policy (signed and sent)'],
  [['resourceKey', 'resourceBucket'], 'a part of the resource (bucket or key)'],
  [['signedHeaderName', 'signedHeaderValue'], 'the name or the value of an extra header'],
];
