/**
 * Computes the expected values that a vector file lacks, with the reference and again with a second implementation.
 *
 * A vector on which the two disagree stays as it is.
 *
 * @module
 */

import { writeFileSync } from 'node:fs';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import { OPERATIONS } from '../../../reference/operations.ts';
import { urlEncode } from '../../../reference/signing/index.ts';
import { hasMembers, isList, mapTexts } from '../../../reference/values.ts';
import {
  computeAnswer,
  computeAnswerForText,
  computeSignature,
  forgeSignature,
  isRefused,
} from '../../engine/answer.ts';
import { parseDialect } from '../../engine/dialects.ts';
import { normalizeStage } from '../../engine/judge/comparison.ts';
import type { Question } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { Input, KeyPair, Stages } from '../../engine/vector.ts';
import { escapeYaml, NO_WRAPPING, YAML, yamlStyle } from '../../engine/yaml-text.ts';
import type { WrittenVector } from '../../suite/schema/shapes.ts';
import { readWritten } from '../../suite/vector-file.ts';

const SVC = parseDialect('svc');

/** Where a signature goes, as it is and URL-encoded. */
const PLACEHOLDER = /\{signature\}|\{encoded\}/;
const STAND_IN = 'signature';

type Path = readonly (string | number)[];

/** A computed value, its place, and the question that the second implementation answers. */
interface Filling {
  readonly path: Path;
  readonly value: Stages;
  /** Absent for accepted answers to open questions that the reference does not give. */
  readonly question?: Question;
}

export interface FillResult {
  /** How many values were filled in. */
  readonly filled: number;
  /** One sentence for each vector that stays as it is. */
  readonly disagreements: readonly string[];
}

/**
 * Fills one file in place; comments stay, and so do the spaces inside the brackets of lines that do not change.
 *
 * @param second another implementation, which must give the same values
 */
export async function fillFile(path: string, second: Respondent): Promise<FillResult> {
  const { data: written, text } = readWritten(path);
  const document = parseDocument(text, YAML);
  const disagreements: string[] = [];
  let filled = 0;
  for (const [i, vector] of written.vectors.entries()) {
    const keys = vector.keys ?? written.keys ?? { publicKey: '', privateKey: '' };
    try {
      const signed = fillPlaceholders(written.operation, vector, keys);
      const own: Question = { operation: written.operation, keys, input: signed.input };
      const fillings = createFillings(vector, signed, own);
      const doubt =
        (vector.refuse && (await checkRefusal(second, own, vector.refuse.reason))) ??
        (await checkFillings(second, fillings));
      if (doubt !== undefined) {
        disagreements.push(`${vector.id}: ${doubt}`);
        continue;
      }
      writeVector(document, ['vectors', i], vector, signed, fillings);
      filled += fillings.length;
    } catch (error) {
      disagreements.push(`${vector.id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  writeFileSync(path, yamlText(document, text));
  return { filled, disagreements };
}

/** The inputs of a vector and its control with signatures instead of placeholders. */
interface Signed {
  readonly input: Input;
  readonly control?: Input;
}

function fillPlaceholders(operation: string, vector: WrittenVector, keys: KeyPair): Signed {
  const { input, control, forged } = vector;
  const controlSignature =
    control &&
    signPlaceholders({
      operation,
      input: { ...input, ...control.input },
      keys: control.keys ?? keys,
    });
  const signature = forged
    ? forgeSignature({ operation, input: withStandIn(input), keys }, withStandIn(forged), SVC)
    : // A malformed request has no signature of its own; it gets that of the corrected request.
      (signPlaceholders({ operation, input, keys }) ?? controlSignature);
  return {
    input: insertSignature(input, signature),
    ...(control && { control: insertSignature(control.input, controlSignature) }),
  };
}

/** The signature for the placeholders of an input; undefined for an input without placeholders. */
function signPlaceholders(asked: Question): string | undefined {
  if (!PLACEHOLDER.test(JSON.stringify(asked.input))) return undefined;
  return computeSignature({ ...asked, input: withStandIn(asked.input) }, SVC);
}

function withStandIn<T>(value: T): T {
  return mapTexts(value, (text) => text.replaceAll(/\{signature\}|\{encoded\}/g, STAND_IN));
}

function insertSignature(input: Input, signature: string | undefined): Input {
  if (!PLACEHOLDER.test(JSON.stringify(input))) return input;
  if (signature === undefined) throw new Error('no signature can be computed for its placeholder');
  return mapTexts(input, (text) =>
    text.replaceAll('{signature}', signature).replaceAll('{encoded}', urlEncode(signature)),
  );
}

/** The fillings of a vector; their paths start at the vector. */
function createFillings(
  { expect, refuse, accept, control }: WrittenVector,
  signed: Signed,
  own: Question,
): readonly Filling[] {
  const { operation, keys } = own;
  const stages = OPERATIONS[operation]?.stages ?? [];
  const isComplete = (value: Stages | undefined): boolean =>
    stages.every((stage) => value?.[stage] !== undefined);
  const create = (path: Path, question: Question): Filling => ({
    path,
    value: requireAnswer(computeAnswer(question, SVC)),
    question,
  });
  const fillings: Filling[] = [];
  if (!refuse && !accept && !isComplete(expect)) fillings.push(create(['expect'], own));
  if (control && !isComplete(control.expect)) {
    const input = { ...signed.input, ...signed.control };
    const question = { operation, keys: control.keys ?? keys, input };
    fillings.push(create(['control', 'expect'], question));
  }
  for (const [name, { expect }] of Object.entries(accept ?? {})) {
    if (!expect || isComplete(expect)) continue;
    const path = ['accept', name, 'expect'];
    const isOwn = Object.keys(expect).length === 0;
    fillings.push(isOwn ? create(path, own) : { path, value: completeAlternative(own, expect) });
  }
  return fillings;
}

/** The stages of an accepted answer, of which the file gives some. */
function completeAlternative(own: Question, expect: Stages): Stages {
  const text = expect['stringToSign'];
  const base =
    typeof text === 'string' ? computeAnswerForText(own, text, SVC) : computeAnswer(own, SVC);
  return { ...requireAnswer(base), ...expect };
}

function requireAnswer(answer: ReturnType<typeof computeAnswer>): Stages {
  if (isRefused(answer)) {
    throw new Error(`the reference refuses it as ${answer.reason}: ${answer.message}`);
  }
  return answer;
}

/** Why a refusal is in doubt: one of the two implementations accepts, or gives another reason. */
async function checkRefusal(
  second: Respondent,
  asked: Question,
  reason: string,
): Promise<string | undefined> {
  const answer = computeAnswer(asked, SVC);
  if (!isRefused(answer) || answer.reason !== reason) {
    return `the reference gives ${JSON.stringify(answer)} instead of the refusal ${reason}`;
  }
  const [reply] = await second.ask([asked]);
  return reply?.kind === 'refused' && reply.reason === reason
    ? undefined
    : `the second implementation gives ${JSON.stringify(reply)} instead of the refusal ${reason}`;
}

/** Why the fillings are in doubt: the second implementation gives another value for some stage. */
async function checkFillings(
  second: Respondent,
  fillings: readonly Filling[],
): Promise<string | undefined> {
  const checked = fillings.flatMap(({ question, value }) =>
    question ? [{ question, value }] : [],
  );
  const replies = await second.ask(checked.map(({ question }) => question));
  for (const [i, { question, value }] of checked.entries()) {
    const reply = replies[i];
    if (reply?.kind !== 'result') {
      return `the second implementation gives no answer: ${JSON.stringify(reply)}`;
    }
    const stages = { ...reply.trace, ...reply.result };
    const form = (stage: string, of: Stages): string =>
      normalizeStage(question.operation, stage, of[stage]);
    const other = Object.keys(value).find((stage) => form(stage, value) !== form(stage, stages));
    if (other !== undefined) {
      return `the second implementation gives the ${other} ${JSON.stringify(stages[other])}, the reference ${JSON.stringify(value[other])}`;
    }
  }
  return undefined;
}

function writeVector(
  document: Document,
  place: Path,
  vector: WrittenVector,
  signed: Signed,
  fillings: readonly Filling[],
): void {
  if (JSON.stringify(signed.input) !== JSON.stringify(vector.input)) {
    writeTexts(document, [...place, 'input'], signed.input);
  }
  if (signed.control) writeTexts(document, [...place, 'control', 'input'], signed.control);
  for (const { path, value } of fillings) {
    document.setIn([...place, ...path], createStagesNode(document, value));
  }
}

/** A text in double quotes, at the place of a value or a name of a line. */
const QUOTED = /(?<=^\s*(?:- )*|[[{,:] ?)"(?:[^"\\]|\\.)*"/gm;

/** Spaces inside brackets or braces, and quoted texts, which may contain the same. */
const PADDING = /"(?:[^"\\]|\\.)*"?|(?<=[[{]) | (?=[\]}])/g;
const withoutPadding = (line: string): string =>
  line.replace(PADDING, (found) => (found === ' ' ? '' : found));

/** The document as text: lines that were there before stay, and new ones have quoted texts escaped to ASCII. */
function yamlText(document: Document, before: string): string {
  const linesBefore = new Map(before.split('\n').map((line) => [withoutPadding(line), line]));
  const text = document.toString(NO_WRAPPING);
  const visible = text
    .split('\n')
    .map(
      (line) =>
        linesBefore.get(withoutPadding(line)) ?? withoutPadding(line).replace(QUOTED, escapeYaml),
    )
    .join('\n');
  if (JSON.stringify(parseDocument(visible).toJS()) !== JSON.stringify(document.toJS())) {
    throw new Error('the written file would read back differently; write its texts in another way');
  }
  return visible;
}

/** Stages as block YAML. Texts that could be misread are quoted. */
function createStagesNode(document: Document, stages: Stages): Node {
  const node = document.createNode(stages);
  visit(node, {
    Scalar(key, scalar: Scalar) {
      if (key !== 'key' && typeof scalar.value === 'string') scalar.type = yamlStyle(scalar.value);
    },
    Seq(_, seq) {
      if (seq.items.every((item) => isScalar(item))) seq.flow = true;
    },
  });
  return node;
}

/** Writes changed texts into the document, node by node, so that its layout stays. */
function writeTexts(document: Document, path: Path, value: unknown): void {
  const node = document.getIn(path, true);
  if (isScalar(node)) {
    if (node.value !== value) {
      node.value = value;
      node.type = 'QUOTE_DOUBLE';
    }
  } else if (isSeq(node)) {
    for (const [i, item] of (isList(value) ? value : []).entries())
      writeTexts(document, [...path, i], item);
  } else if (isMap(node) && hasMembers(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (document.hasIn([...path, name])) writeTexts(document, [...path, name], member);
    }
  }
}
