/**
 * Mistakes with Content-MD5, Content-Type and Date, which are signed by their place (§5.2).
 *
 * @module
 */
import { trimBlanks } from '../signing/header-lines.ts';
import {
  type PositionalName,
  positionalValue,
  positionalValues,
} from '../signing/positional-headers.ts';
import type { Context } from '../signing/steps.ts';
import { signedText } from '../signing/string-to-sign.ts';
import type { HeaderList } from '../signing/types.ts';
import type { Mistake } from './mistake.ts';

const TYPES: Readonly<Record<string, string>> = {
  bin: 'application/octet-stream',
  html: 'text/html',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
};

/** The type that a file of this name usually has. */
function typeOf(key: string): string {
  return TYPES[key.split('.').at(-1)?.toLowerCase() ?? ''] ?? '';
}

/** The value as it stands in the request, its blanks and folds included. */
function valueAsSent(headers: HeaderList, name: PositionalName, { steps }: Context): string {
  return headers.find(([header]) => steps.isPositional(header, name))?.[1] ?? '';
}

/** How the three lines behind the verb are found, filled and ordered. */
export const POSITIONAL: readonly Mistake[] = [
  {
    id: 'positional-names-as-spelled',
    rule: '5.2/positional-name-case',
    swap: { isPositional: (header, name) => header === name },
    cause: 'Content-MD5, Content-Type and Date are found in this spelling only',
    fix: 'look headers up without regard to case',
    seen: 'ufile 3.2.11 (Python)',
  },
  {
    id: 'positional-blanks-kept',
    rule: '5.2/positional-blanks',
    swap: { positionalValue: valueAsSent },
    cause: 'blanks around Content-MD5, Content-Type or Date are signed',
    fix: 'remove spaces and tabs at both ends of the value',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go), ufile-client-java 2.6.6, ufile-rus3 0.1.12 (Rust)',
  },
  {
    id: 'positional-names-signed',
    rule: '5.2/positional-values',
    swap: {
      positionalValue: (headers, name, context) => {
        const value = positionalValue(headers, name, context);
        return value && `${name.toLowerCase()}:${value}`;
      },
    },
    cause: 'Content-MD5, Content-Type and Date are signed with their names',
    fix: 'sign their values alone',
  },
  {
    id: 'positional-absent-left-out',
    rule: '5.2/positional-absent',
    swap: {
      signedText: ({ verb: method, contentMd5, contentType, date, ...rest }) => {
        const lines = [method, contentMd5, contentType, date].filter((line) => line !== '');
        return `${lines.join('\n')}\n${rest.canonicalHeaders}${rest.canonicalResource}${rest.policy}`;
      },
    },
    cause: 'an absent header takes its line with it',
    fix: 'keep an empty line for each of Content-MD5, Content-Type and Date that is absent',
  },
  {
    id: 'positional-no-md5-line',
    rule: '5.2/positional-order',
    swap: { signedText: (parts) => signedText(parts).replace(`\n${parts.contentMd5}\n`, '\n') },
    cause: 'the text has no line for Content-MD5',
    fix: 'keep a line for Content-MD5 behind the verb, empty where the header is absent',
  },
  {
    id: 'positional-type-before-md5',
    rule: '5.2/positional-order',
    swap: {
      signedText: ({ contentMd5, contentType, ...parts }) =>
        signedText({ ...parts, contentMd5: contentType, contentType: contentMd5 }),
    },
    cause: 'Content-Type comes before Content-MD5',
    fix: 'write Content-MD5, then Content-Type, then Date',
  },
  {
    id: 'content-md5-left-empty',
    rule: '2/content-md5-optional',
    swap: {
      positionalValues: (request, context) => ({
        ...positionalValues(request, context),
        contentMd5: '',
      }),
    },
    cause: 'Content-MD5 is sent but not signed',
    fix: 'sign the value of Content-MD5 when it is sent',
  },
  {
    id: 'content-type-without-parameters',
    rule: '5.2/positional-values',
    swap: {
      positionalValue: (...given) =>
        positionalValue(...given)
          .split(/(?<! ) *;/, 1)
          .join(),
    },
    cause: 'the Content-Type is signed without its parameters',
    fix: 'sign the whole value, with everything behind the semicolon',
  },
  {
    id: 'content-type-in-lower-case',
    rule: '5.2/positional-values',
    swap: {
      positionalValues: (request, context) => {
        const right = positionalValues(request, context);
        return { ...right, contentType: right.contentType.toLowerCase() };
      },
    },
    cause: 'the Content-Type is signed in lower case',
    fix: 'sign the value as it is sent',
  },
  {
    id: 'content-type-with-charset',
    rule: '5.2/positional-values',
    swap: {
      positionalValues: (request, context) => {
        const right = positionalValues(request, context);
        const contentType = right.contentType.replace(/^text\/[^;]*$/, '$&; charset=utf-8');
        return { ...right, contentType };
      },
    },
    cause: 'a charset is added to a Content-Type of text before it is signed',
    fix: 'sign the value as it is sent',
  },
  {
    id: 'content-type-by-default',
    rule: '5.2/positional-absent',
    swap: {
      positionalValues: (request, context) => {
        const right = positionalValues(request, context);
        return { ...right, contentType: right.contentType || 'application/octet-stream' };
      },
    },
    cause: 'a default Content-Type is signed that is not sent',
    fix: 'sign an empty line where no Content-Type is sent, or send the default as well',
  },
  {
    id: 'content-type-guessed',
    rule: '5.2/positional-absent',
    swap: {
      positionalValues: (request, context) => {
        const right = positionalValues(request, context);
        return { ...right, contentType: right.contentType || typeOf(request.key) };
      },
    },
    cause: 'a Content-Type is guessed from the name of the file and signed, but not sent',
    fix: 'sign an empty line where no Content-Type is sent, or send the guess as well',
  },
  {
    id: 'date-left-empty',
    rule: '5.2/positional-values',
    swap: {
      positionalValues: (request, context) => ({ ...positionalValues(request, context), date: '' }),
    },
    cause: 'Date is sent but not signed',
    fix: 'sign the value of Date when it is sent',
  },
  {
    id: 'date-empty-beside-another',
    rule: '5.2/positional-values',
    swap: {
      positionalValues: (request, context) => {
        const own = `${context.dialect.headerPrefix}Date`.toLowerCase();
        const replaced = request.headers.some(([name]) => trimBlanks(name).toLowerCase() === own);
        const right = positionalValues(request, context);
        return replaced ? { ...right, date: '' } : right;
      },
    },
    cause: "the line of Date is left empty when there is a date header with the service's prefix",
    fix: 'sign the value of Date whatever other headers there are',
  },
  {
    id: 'date-reformatted',
    rule: '5.2/date-opaque',
    swap: {
      positionalValues: (request, context) => {
        const right = positionalValues(request, context);
        const hasZone = /(?:Z|GMT|[+-]\d{4})$/.test(right.date);
        return hasZone ? { ...right, date: new Date(right.date).toUTCString() } : right;
      },
    },
    cause: 'the Date is parsed and signed in another format or zone',
    fix: 'sign the text of Date as it is sent',
  },
];
