/**
 * Known mistakes about the forms in which signed parameters travel (§4.1, §4.2, §5.3).
 *
 * @module
 */
import { jsonValue, signedQuery } from '../signing/action-forms.ts';
import { compareBytes } from '../signing/byte-order.ts';
import type { Mistake } from './mistake.ts';

/** Every known mistake about the query, the JSON body and bucket requests. */
export const ACTION_FORMS: readonly Mistake[] = [
  {
    id: 'query-names-bare',
    rule: '5.3/names-and-values',
    swap: { queryPair: (name, text, { steps }) => `${name}=${steps.urlEncode(text)}` },
    cause: 'names of parameters are not URL-encoded',
    fix: 'encode names as well as values',
  },
  {
    id: 'query-bare',
    rule: '5.3/names-and-values',
    swap: { queryPair: (name, text) => `${name}=${text}` },
    cause: 'neither names nor values are URL-encoded in the query',
    fix: 'encode names and values after signing',
  },
  {
    id: 'query-empty-value-left-out',
    rule: '4.2/query-pairs',
    swap: {
      signedQuery: (parameters, signature, context) =>
        signedQuery(
          parameters.filter(([, text]) => text !== ''),
          signature,
          context,
        ),
    },
    cause: 'a parameter with an empty value is signed but not sent',
    fix: 'send its name and an equals sign',
  },
  {
    id: 'query-public-key-left-out',
    rule: '2/public-key-sent',
    swap: {
      signedQuery: (parameters, signature, context) =>
        signedQuery(
          parameters.filter(([name]) => name !== 'PublicKey'),
          signature,
          context,
        ),
    },
    cause: 'the parameter PublicKey is signed but not sent',
    fix: 'send every parameter that is signed',
  },
  {
    id: 'query-signature-first',
    rule: '4.2/query-signature-last',
    swap: {
      signedQuery: (parameters, signature, context) => {
        const pairs = parameters.map(([name, text]) =>
          context.steps.queryPair(name, text, context),
        );
        return [`Signature=${signature}`, ...pairs].join('&');
      },
    },
    cause: 'the parameter Signature comes first in the query',
    fix: 'append Signature as the last parameter',
  },
  {
    id: 'query-signature-sorted-in',
    rule: '4.2/query-signature-last',
    swap: {
      signedQuery: (parameters, signature, context) =>
        [...parameters, ['Signature', signature] as const]
          .sort(([a], [b]) => compareBytes(a, b))
          .map(([name, text]) => context.steps.queryPair(name, text, context))
          .join('&'),
    },
    cause: 'the parameter Signature stands among the others, where its name sorts',
    fix: 'append Signature as the last parameter, after sorting',
    seen: 'ufile-gosdk 1.0.3 (Go), ucloud-sdk-go 0.22.17',
  },
  {
    id: 'query-ends-with-ampersand',
    rule: '4.2/query-pairs',
    swap: { signedQuery: (...given) => `${signedQuery(...given)}&` },
    cause: 'an ampersand follows the last parameter of the query',
    fix: 'put ampersands between the pairs only',
  },
  {
    id: 'bucket-path-missing',
    rule: '4.1/get-root',
    swap: { bucketTarget: (query) => `?${query}` },
    cause: 'the target of a bucket request has no slash before the query',
    fix: 'send the query to the path "/"',
  },
  {
    id: 'json-numbers-as-texts',
    rule: '4.2/json-numbers',
    swap: {
      jsonValue: (value, context) =>
        typeof value === 'object' ? `"${jsonValue(value, context)}"` : jsonValue(value, context),
    },
    cause: 'numbers are texts in the JSON body',
    fix: 'write numbers without quotes',
  },
  {
    id: 'json-all-texts',
    rule: '4.2/json-numbers',
    swap: {
      jsonValue: (value, context) => JSON.stringify(context.steps.valueText(value, context)),
    },
    cause: 'numbers and booleans are texts in the JSON body',
    fix: 'write numbers and booleans without quotes',
  },
  {
    id: 'json-numbers-as-doubles',
    rule: '4.2/json-numbers',
    swap: {
      jsonValue: (value, context) =>
        typeof value === 'object'
          ? JSON.stringify(Number(value.number))
          : jsonValue(value, context),
    },
    cause: 'numbers lose their digits beyond 2^53 in the JSON body',
    fix: 'write the same digits in the body that are signed',
  },
  {
    id: 'json-texts-as-numbers',
    rule: '4.2/json-members',
    swap: {
      jsonValue: (value, context) =>
        typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
          ? JSON.stringify(Number(value))
          : jsonValue(value, context),
    },
    cause: 'texts that look like numbers are numbers in the JSON body',
    fix: 'write every text in quotes, whatever it looks like',
  },
  {
    id: 'json-unescaped',
    rule: '4.2/json-members',
    swap: {
      jsonValue: (value, context) =>
        typeof value === 'string' ? `"${value}"` : jsonValue(value, context),
    },
    cause: 'quotes, backslashes and control characters are not escaped in the JSON body',
    fix: 'write the body with a JSON library',
  },
];
