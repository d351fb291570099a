/**
 * The symptoms of mistakes: what their authors see, and for which inputs, in the words of `site/symptoms.yaml`.
 *
 * @module
 */

import type { Vector } from '../../harness/engine/vector.ts';
import {
  ACTION_ERRORS,
  type ErrorRow,
  FILE_ERRORS,
} from '../../reference/server/messages/errors.ts';
import { type Html, html } from '../../reference/server/pages/html.ts';
import { isRecordOf, isText } from '../../reference/values.ts';
import type { SiteData } from './data.ts';
import { errorLink } from './error-pages.ts';
import { readSiteFile } from './site-file.ts';

const FILE = 'site/symptoms.yaml';

/** By the ids of rules: the inputs for which a mistake gives a wrong answer. */
export type Symptoms = Readonly<Record<string, string>>;

/** @throws Error if a rule with mistakes has no symptom, or a symptom names no such rule */
export function readSymptoms(rules: ReadonlySet<string>): Symptoms {
  const symptoms: Symptoms = readSiteFile(FILE, isRecordOf(isText));
  for (const rule of rules) {
    if (symptoms[rule] === undefined)
      throw new Error(`${FILE} has no symptom for mistakes about ${rule}; add one`);
  }
  const unused = Object.keys(symptoms).find((rule) => !rules.has(rule));
  if (unused !== undefined) throw new Error(`${FILE}: no mistake is about ${unused}`);
  return symptoms;
}

/** What the author of a mistake sees; the vectors are those that catch it. */
export function describeMistakeSymptom(
  rule: string,
  vectors: readonly Vector[],
  data: SiteData,
): Html {
  const { answer, subject } = describeAnswer(vectors);
  return failsAlways(vectors, data)
    ? html`${answer} Every ${subject} fails.`
    : html`${answer} Only some ${subject}s fail, such as ${data.symptoms[rule]}.`;
}

/** What the author of any mistake about a rule sees. */
export function describeRuleSymptom(rule: string, data: SiteData): Html {
  const { answer } = describeAnswer(data.vectorsOf(rule));
  return html`${answer} It happens with ${data.symptoms[rule]}.`;
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
  const operations = vectors.map(({ operation }) => operation);
  const counts = [...new Set(operations)].map(
    (name) => [operations.filter((one) => one === name).length, name] as const,
  );
  const [, most] = counts.sort(([a], [b]) => b - a)[0] ?? [];
  const answered = suite.vectors.filter(
    ({ operation, expect }) => operation === most && expect !== undefined,
  );
  return answered.length > 0 && answered.every(({ id }) => ids.has(id));
}
