import fc from 'fast-check';
import { test } from 'vitest';
import {
  actionQuery,
  bucketRequest,
  type InputErrorCode,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { brokenText, keyPair, text } from './arbitraries.ts';
import { parameterName, parameters } from './arbitrary-parameters.ts';
import { fileRequest, positionalName } from './arbitrary-requests.ts';
import { type Attempt, expectInputError, signsAction, signsFile } from './attempts.ts';

const notToken = fc.oneof(text, brokenText).filter((t) => !/^[!#$%&'*+\-.^_`|~\w]+$/.test(t));
const notNumber = text.filter((t) => !/^-?\d/.test(t));
/** A text with NUL, or with a line break that no space or tab follows. */
const notLine = fc
  .tuple(text, fc.constantFrom('\0', '\r', '\n', '\r\n'), fc.constantFrom('', 'a'))
  .map((parts) => parts.join(''));

/** Every kind of input that §5 cannot sign. */
const FAULTS: Readonly<Record<InputErrorCode, fc.Arbitrary<Attempt>>> = {
  bucket: fc
    .tuple(
      fileRequest,
      fc.oneof(
        fc.constant(''),
        text.map((t) => `${t}/`),
      ),
    )
    .map(([r, bucket]) => signsFile(r, { bucket })),
  'header-name': fc
    .tuple(
      fileRequest,
      notToken.filter((t) => !/^[ \t]|[ \t]$/.test(t)),
    )
    .map(([r, name]) => signsFile(r, { headers: [...r.headers, [name, 'v']] })),
  'header-repeated': fc
    .tuple(fileRequest, positionalName)
    .map(([r, name]) => signsFile(r, { headers: [...r.headers, [name, 'v'], [name, 'v']] })),
  'header-value': fc
    .tuple(fileRequest, notLine)
    .map(([r, v]) => signsFile(r, { headers: [['a', v], ...r.headers] })),
  method: fc.tuple(fileRequest, notToken).map(([r, method]) => signsFile(r, { method })),
  number: fc
    .tuple(parameterName, notNumber)
    .map(([name, number]) => signsAction([[name, { number }]])),
  'parameter-missing': fc.tuple(parameters, fc.constantFrom(actionQuery, bucketRequest)).map(
    ([p, form]) =>
      (keys) =>
        form(p, keys, SPECIFICATION),
  ),
  'parameter-null': fc
    .tuple(parameters, parameterName)
    .map(([p, name]) => signsAction([...p, [name, null]])),
  'parameter-repeated': fc
    .tuple(parameters, parameterName, text)
    .map(([p, name, v]) => signsAction([...p, [name, v], [name, v]])),
  text: fc.tuple(parameterName, brokenText).map(([name, v]) => signsAction([[name, v]])),
};

const CODES = Object.keys(FAULTS) as InputErrorCode[];

test.each(CODES)(
  '§5: input error %s has the fault, the rule and a fix, but no private key',
  (code) => {
    always([FAULTS[code], keyPair], (attempt, keys) => {
      expectInputError(code, () => attempt(keys));
    });
  },
);
