/**
 * More or less than the answer that was asked for: a whole header, a whole URL, a signature alone.
 *
 * @module
 */
import { type Due, signaturePlace } from './due.ts';
import { madeBy, type Rewriting } from './rewriting.ts';

/** An Authorization header as it is due: its scheme, and what follows the blank. */
function authorizationOf({ stage, text }: Due): { scheme: string; rest: string } | undefined {
  const at = text.indexOf(' ');
  return stage === 'authorization' && at > 0
    ? { scheme: text.slice(0, at), rest: text.slice(at + 1) }
    : undefined;
}

const HEADER_FORM = 'write the scheme, one space, the public key, ":" and the signature (§5.2)';

export const FORMS: readonly Rewriting[] = [
  {
    id: 'header-line',
    what: "with the header's name in front of it",
    fix: "give the header's value alone",
    undone: (text, due) =>
      due.stage === 'authorization' ? changed(text, /^authorization[ \t]*:[ \t]*/i) : undefined,
    telling: true,
  },
  {
    id: 'scheme-missing',
    what: 'without its scheme',
    fix: HEADER_FORM,
    undone: (text, due) => {
      const right = authorizationOf(due);
      if (!right || text.includes(' ')) return undefined;
      const publicKey = right.rest.slice(0, right.rest.indexOf(':') + 1);
      return text.startsWith(publicKey) ? `${right.scheme} ${text}` : undefined;
    },
    telling: true,
  },
  {
    id: 'scheme-twice',
    what: 'with its scheme twice',
    fix: HEADER_FORM,
    undone: (text, due) => {
      const right = authorizationOf(due);
      const twice = right && `${right.scheme} ${right.scheme} `;
      return twice && text.startsWith(twice) ? text.slice(right.scheme.length + 1) : undefined;
    },
    telling: true,
  },
  {
    id: 'scheme-in-another-case',
    what: 'with its scheme in another case',
    fix: HEADER_FORM,
    undone: (text, due) => {
      const scheme = authorizationOf(due)?.scheme;
      if (!scheme || text.startsWith(scheme)) return undefined;
      return text.toLowerCase().startsWith(`${scheme} `.toLowerCase())
        ? scheme + text.slice(scheme.length)
        : undefined;
    },
    telling: true,
  },
  {
    id: 'other-scheme',
    what: 'with another scheme',
    fix: HEADER_FORM,
    undone: (text, due) => {
      const right = authorizationOf(due);
      if (!right || text.startsWith(right.scheme)) return undefined;
      const publicKey = right.rest.slice(0, right.rest.indexOf(':') + 1);
      const [scheme = ''] = /^[A-Za-z0-9-]+ /.exec(text) ?? [];
      return scheme !== '' && text.slice(scheme.length).startsWith(publicKey)
        ? `${right.scheme} ${text.slice(scheme.length)}`
        : undefined;
    },
    telling: true,
  },
  {
    id: 'parts-swapped',
    what: 'with its signature before the public key',
    fix: HEADER_FORM,
    undone: (text, due) => {
      const right = authorizationOf(due);
      const [publicKey, ...signature] = right?.rest.split(':') ?? [];
      return right && text === `${right.scheme} ${signature.join(':')}:${publicKey}`
        ? due.text
        : undefined;
    },
  },
  {
    id: 'blanks-in-header',
    what: 'with other blanks between its parts',
    fix: HEADER_FORM,
    undone: (text, due) => {
      const right = authorizationOf(due);
      const bare = (one: string): string => one.replaceAll(/[ \t]+/g, '');
      return right && text !== due.text && bare(text) === bare(due.text) ? due.text : undefined;
    },
  },
  {
    id: 'signature-alone',
    what: 'as the signature alone',
    fix: 'give the whole of it, with what stands before the signature',
    undone: (text, due) => {
      const place = signaturePlace(due.operation, due.stage, due.text);
      if (!place || place.before === '') return undefined;
      return /^[A-Za-z0-9+/_%-]{20,}={0,2}$/.test(text)
        ? place.before + text + place.after
        : undefined;
    },
    telling: true,
  },
  {
    id: 'whole-url',
    what: 'as a whole URL',
    fix: ({ stage }) =>
      stage === 'query' ? 'give what follows the "?"' : 'give the path and the query alone',
    undone: (text, { stage }) => {
      if (stage === 'query') return changed(text, /^(?:https?:\/\/[^?]*|\/)?\?/);
      return stage === 'target' ? changed(text, /^https?:\/\/[^/?]*(?=[/?])/) : undefined;
    },
    telling: true,
  },
  {
    id: 'query-alone',
    what: 'as its query alone',
    fix: 'give the whole of it, with what stands before the query',
    undone: (text, due) =>
      /^(?:url|target)$/.test(due.stage)
        ? (madeBy((right) => right.slice(right.indexOf('?')))(text, due) ??
          madeBy((right) => right.slice(right.indexOf('?') + 1))(text, due))
        : undefined,
  },
];

function changed(text: string, taken: RegExp): string | undefined {
  const rest = text.replace(taken, '');
  return rest === text ? undefined : rest;
}
