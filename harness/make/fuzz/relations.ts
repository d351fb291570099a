/**
 * Pairs of requests that must have the same answer. They reveal failures without an expected value.
 *
 * @module
 */

import fc from 'fast-check';
import type { HeaderList, Pair } from '../../../reference/signing/index.ts';
import { hasMembers, parseJsonIfValid } from '../../../reference/values.ts';
import type { Stages } from '../../engine/vector.ts';
import type { Circumstances, Draft, Relation } from './draft.ts';
import { oneOf, weighted } from './texts.ts';

interface RelationKind {
  /** The claim that both answers confirm, as a sentence. */
  readonly claim: string;
  readonly operations: readonly string[];
  readonly relate: (draft: Draft, relation: Relation, circumstances: Circumstances) => Draft;
}

const FILE = [
  'authorization',
  'form-authorization',
  'policy-authorization',
  'instant-upload',
  'presigned-url',
];
const SAME_SIGNATURE = ['action-json', 'action-query', 'action-signature'];
const FORMS = [...SAME_SIGNATURE, 'bucket-request'];

export const RELATIONS: Readonly<Record<string, RelationKind>> = {
  'header-order': {
    claim: 'the order of headers with different names does not matter',
    operations: FILE,
    relate: (draft, { by }) => withHeaders(draft, (headers) => reorder(headers, by)),
  },
  'header-case': {
    claim: 'the case of header names does not matter',
    operations: FILE,
    relate: (draft, { by }) =>
      withHeaders(draft, (headers) =>
        headers.map(([name, value]) => [
          by % 2 === 0 ? name.toLowerCase() : name.toUpperCase(),
          value,
        ]),
      ),
  },
  'other-header': {
    claim: 'a header that is not signed does not matter',
    operations: FILE,
    relate: (draft, { by }) =>
      withHeaders(draft, (headers) => {
        const at = by % (headers.length + 1);
        const name = ['User-Agent', 'X-Unsigned', 'Accept'][by % 3] ?? '';
        const other: Pair = [name, 'a'];
        return [...headers.slice(0, at), other, ...headers.slice(at)];
      }),
  },
  'parameter-order': {
    claim: 'the order of parameters does not matter',
    operations: FORMS,
    relate: (draft, { by }) => {
      const parameters = draft.request.parameters ?? [];
      const turn = by % (parameters.length || 1);
      const turned = [...parameters.slice(turn), ...parameters.slice(0, turn)];
      const other = by % 2 === 0 ? turned : turned.reverse();
      return { ...draft, request: { ...draft.request, parameters: other } };
    },
  },
  'other-form': {
    claim: 'JSON body and query string carry the same signature',
    operations: SAME_SIGNATURE,
    relate: (draft, { by }, circumstances) => {
      const others = otherForms(draft, circumstances);
      return others[by % (others.length || 1)] ?? draft;
    },
  },
};

/** The same request in the other forms that the adapter has; empty if the request has only one form. */
export function otherForms(draft: Draft, { operations }: Circumstances): readonly Draft[] {
  if (!SAME_SIGNATURE.includes(draft.operation)) return [];
  return SAME_SIGNATURE.filter(
    (operation) => operation !== draft.operation && operations.includes(operation),
  ).map((operation) => ({ ...draft, operation }));
}

/** The draft that must have the same answer. */
export function createRelated(draft: Draft, circumstances: Circumstances): Draft | undefined {
  const { relation, ...own } = draft;
  return relation && RELATIONS[relation.kind]?.relate(own, relation, circumstances);
}

/** Rarely a relation. Shrinks to none. */
export function relationArbitrary(operation: string): fc.Arbitrary<Relation | undefined> {
  const kinds = Object.entries(RELATIONS)
    .filter(([, { operations }]) => operations.includes(operation))
    .map(([kind]) => kind);
  if (kinds.length === 0) return fc.constant(undefined);
  return weighted(
    [4, fc.constant(undefined)],
    [1, fc.record({ kind: oneOf(...kinds), by: fc.nat(11) })],
  );
}

/** The signature from a result of any form. */
export function extractSignature(operation: string, result: Stages): string | undefined {
  const { signature, body, query } = result;
  if (operation === 'action-signature') return String(signature);
  if (operation === 'action-query') return String(query).split('Signature=').at(-1);
  const members = parseJsonIfValid(String(body));
  return hasMembers(members) ? String(members['Signature']) : undefined;
}

function withHeaders(draft: Draft, change: (headers: HeaderList) => HeaderList): Draft {
  const headers = draft.request.headers ?? [];
  return { ...draft, request: { ...draft.request, headers: change(headers) } };
}

/** Changes the order of the headers, but not the order of headers with the same name. */
function reorder(headers: HeaderList, by: number): HeaderList {
  const bare = (name: string): string => name.trim().toLowerCase();
  const turn = by % (headers.length || 1);
  const turned = [...headers.slice(turn), ...headers.slice(0, turn)];
  const other = by % 2 === 0 ? turned : turned.reverse();
  const left = new Map<string, HeaderList[number][]>();
  for (const header of headers) {
    left.set(bare(header[0]), [...(left.get(bare(header[0])) ?? []), header]);
  }
  return other.map((header) => left.get(bare(header[0]))?.shift() ?? header);
}
