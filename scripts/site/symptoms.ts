/**
 * The symptoms of mistakes of the register: what their authors see, and for which inputs, in the words of `site/symptoms.yaml`.
 *
 * @module
 */

import { groupByKey } from '../../harness/engine/group-by-key.ts';
import type { Vector } from '../../harness/engine/vector.ts';
import type { Mistake } from '../../reference/mistakes/index.ts';
import {
  ACTION_ERRORS,
  type ErrorRow,
  FILE_ERRORS,
} from '../../reference/server/messages/errors.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { isListOf, isShapeOf, isText } from '../../reference/values.ts';
import type { SiteData } from './data.ts';
import { errorLink } from './error-pages.ts';
import { readSiteFile } from './site-file.ts';

const FILE = 'site/symptoms.yaml';

interface Row {
  readonly inputs: string;
  /** The ids of the mistakes that affect these inputs. */
  readonly mistakes: readonly string[];
}

/** The inputs that a mistake affects, by its id. */
export type Symptoms = ReadonlyMap<string, string>;

/** @throws Error if a row names an unknown mistake, or if two rows name the same one */
export function readSymptoms(mistakes: readonly Mistake[]): Symptoms {
  const isRow = isShapeOf<Row>({ inputs: isText, mistakes: isListOf(isText) });
  const rows = readSiteFile(FILE, isListOf(isRow));
  const symptoms = new Map<string, string>();
  for (const { inputs, mistakes: ids } of rows) {
    for (const id of ids) {
      if (!mistakes.some((mistake) => mistake.id === id))
        throw new Error(`${FILE}: the register has no mistake ${id}`);
      if (symptoms.has(id)) throw new Error(`${FILE} names ${id} twice`);
      symptoms.set(id, inputs);
    }
  }
  return symptoms;
}

/** What the author of a mistake sees; the vectors are those that catch it. */
export function describeSymptom(id: string, vectors: readonly Vector[], data: SiteData): Html {
  const { answer, subject } = describeAnswer(vectors);
  return html`${answer} It affects ${describeInputs(id, subject, vectors, data)}.`;
}

/** @throws Error if all inputs fail, and the file names some */
function describeInputs(
  id: string,
  subject: string,
  vectors: readonly Vector[],
  data: SiteData,
): string {
  const inputs = data.symptoms.get(id);
  if (!failsAlways(vectors, data)) return inputs ?? `only some ${subject}s`;
  if (inputs === undefined) return `every ${subject}`;
  throw new Error(`${FILE}: ${id} affects every ${subject}; remove it`);
}

interface Symptom {
  readonly answer: Html;
  /** The inputs of the operation, in the singular. */
  readonly subject: string;
}

/** What the service or the verifier does, by the operations that show the mistake. */
function describeAnswer(vectors: readonly Vector[]): Symptom {
  const signing = vectors.filter(({ operation }) => !operation.startsWith('verify-'));
  if (signing.length === 0) return VERIFIER;
  if (signing.every(({ refuse }) => refuse !== undefined)) return UNCHECKED;
  const operations = signing.map(({ operation }) => operation);
  return FAMILIES.find(([names]) => operations.every((name) => names.has(name)))?.[1] ?? MIXED;
}

const VERIFIER: Symptom = {
  answer: html`A verifier accepts a request that it must refuse, or refuses one that is correctly signed.`,
  subject: 'request',
};

const UNCHECKED: Symptom = {
  answer: html`The signer reports no error, and signs an input that it must refuse.`,
  subject: 'input',
};

const MIXED: Symptom = {
  answer: html`The service answers ${errorText(FILE_ERRORS.signatureWrong)} to file requests and ${errorText(ACTION_ERRORS.signatureWrong)} to actions, or a value arrives changed.`,
  subject: 'input',
};

/** The first family that has all operations of a mistake says what its author sees. */
const FAMILIES: readonly (readonly [operations: ReadonlySet<string>, symptom: Symptom])[] = [
  [
    new Set(['etag', 'part-etag']),
    {
      answer: html`The ETag differs from the one that the service computes, and instant uploads never succeed.`,
      subject: 'file',
    },
  ],
  [
    new Set(['password']),
    {
      answer: html`The service sets another password than the caller wrote, or refuses it.`,
      subject: 'password',
    },
  ],
  [
    new Set(['presigned-url']),
    {
      answer: html`The pre-signed URL is answered with ${errorText(FILE_ERRORS.signatureWrong)}, or leads to another file.`,
      subject: 'URL',
    },
  ],
  [
    new Set(['action-signature', 'action-query', 'action-json', 'bucket-request', 'password']),
    {
      answer: html`The account API answers ${errorText(ACTION_ERRORS.signatureWrong)}, or the parameters arrive changed.`,
      subject: 'request',
    },
  ],
  [
    new Set([
      'authorization',
      'policy',
      'policy-authorization',
      'form-authorization',
      'instant-upload',
      'presigned-url',
    ]),
    {
      answer: html`The request is answered with ${errorText(FILE_ERRORS.signatureWrong)}: the signature does not match.`,
      subject: 'request',
    },
  ],
];

function errorText(row: ErrorRow): Html {
  return html`${row.status}, ${errorLink(row)}, “${row.message}”`;
}

/** Whether the vectors include every answered vector of their most frequent operation. */
function failsAlways(vectors: readonly Vector[], { suite }: SiteData): boolean {
  const ids = new Set(vectors.map(({ id }) => id));
  const groups = groupByKey(vectors.map((vector) => [vector.operation, vector]));
  const [most] = [...groups].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
  const answered = suite.vectors.filter(
    ({ operation, expect }) => operation === most && expect !== undefined,
  );
  return answered.length > 0 && answered.every(({ id }) => ids.has(id));
}
