/**
 * Computes the expected values that a vector file lacks: by the reference, and again by the Python adapter.
 *
 * Nothing is written for a vector over which the two do not agree.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { urlEncode } from '../../reference/signing/index.ts';
import { repositoryAdapters } from '../adapter/manifest.ts';
import type { Question } from '../adapter/messages.ts';
import { Session } from '../adapter/session.ts';
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { LARGEST, textOfFile } from '../input.ts';
import { equalForm } from '../judge/equal-form.ts';
import { ContentFolder } from '../suite/content.ts';
import { OPERATIONS } from '../suite/operations.ts';
import { readWritten, type WrittenVector } from '../suite/read.ts';
import type { Input, KeyPair, Stages } from '../suite/vector.ts';
import {
  type Asked,
  answerSigning,
  answerTo,
  forgedSignature,
  isRefused,
  rightSignature,
  withTexts,
} from './answer.ts';

const SVC = dialectNamed('svc');
const SECOND = 'python';
const YAML = { compat: 'yaml-1.1' } as const;

/** Where a signature goes, as it is and URL-encoded. */
const PLACEHOLDER = /\{signature\}|\{encoded\}/;
const STAND_IN = 'signature';

/** A value that was computed, where it goes, and the question that the second implementation answers. */
interface Filling {
  readonly path: readonly (string | number)[];
  readonly value: Stages;
  /** Absent for the answers to open questions that are not the reference's own. */
  readonly question?: Question;
}

export interface Filled {
  readonly filled: number;
  /** One sentence for each vector that was left as it is. */
  readonly disagreements: readonly string[];
}

/** Fills one file in place; comments and layout stay. */
export async function fillFile(path: string): Promise<Filled> {
  const { written } = readWritten(path);
  const document = parseDocument(textOfFile(path, LARGEST.yaml), YAML);
  const contents = new ContentFolder();
  const session = await secondImplementation();
  const disagreements: string[] = [];
  let filled = 0;
  try {
    for (const [i, vector] of written.vectors.entries()) {
      const keys = vector.keys ?? written.keys ?? { publicKey: '', privateKey: '' };
      const { operation } = written;
      try {
        const signed = placeholdersFilled(operation, vector, keys);
        const fillings = fillingsOf(operation, vector, signed, keys, ['vectors', i], contents);
        const own: Asked = { operation, keys, input: contents.expanded(signed.input) };
        const doubt =
          (vector.refuse && (await refusalDoubt(session, own, vector.refuse.reason))) ??
          (await doubtOf(session, fillings));
        if (doubt !== undefined) {
          disagreements.push(`${vector.id}: ${doubt}`);
          continue;
        }
        if (JSON.stringify(signed.input) !== JSON.stringify(vector.input)) {
          setSignatures(document, ['vectors', i, 'input'], signed.input);
        }
        if (vector.control && signed.control) {
          setSignatures(document, ['vectors', i, 'control', 'input'], signed.control);
        }
        for (const { path: place, value } of fillings)
          document.setIn(place, stagesNode(document, value));
        filled += fillings.length;
      } catch (error) {
        disagreements.push(
          `${vector.id}: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  } finally {
    await session.close();
    contents.remove();
  }
  writeFileSync(path, yamlText(document));
  return { filled, disagreements };
}

async function secondImplementation(): Promise<Session> {
  const adapter = repositoryAdapters().find(({ name }) => name === SECOND);
  if (!adapter || adapter.missing !== undefined) {
    throw new UsageError(
      `no value lands that only the reference computed, and the adapter ${SECOND} cannot run: ${adapter?.missing ?? 'it is gone'}`,
    );
  }
  const session = new Session(adapter.command, SVC);
  await session.start();
  return session;
}

interface Signed {
  readonly input: Input;
  readonly control?: Input;
}

/** The input and the control's members with signatures in place of their placeholders. */
function placeholdersFilled(operation: string, vector: WrittenVector, keys: KeyPair): Signed {
  const controlInput = vector.control && { ...vector.input, ...vector.control.input };
  const right =
    controlInput &&
    signatureOf({ operation, input: controlInput, keys: vector.control?.keys ?? keys });
  const asked: Asked = { operation, input: standingIn(vector.input), keys };
  const own = vector.forged
    ? forgedSignature(asked, standingIn(vector.forged), SVC)
    : // A malformed request has no signature of its own; it carries that of the request made right.
      (signatureOf({ operation, input: vector.input, keys }) ?? right);
  return {
    input: inserted(vector.input, own),
    ...(vector.control && { control: inserted(vector.control.input, right) }),
  };
}

function signatureOf(asked: Asked): string | undefined {
  if (!PLACEHOLDER.test(JSON.stringify(asked.input))) return undefined;
  return rightSignature({ ...asked, input: standingIn(asked.input) }, SVC);
}

function standingIn<T>(value: T): T {
  return withTexts(value, (text) => text.replaceAll(/\{signature\}|\{encoded\}/g, STAND_IN));
}

function inserted(input: Input, signature: string | undefined): Input {
  if (!PLACEHOLDER.test(JSON.stringify(input))) return input;
  if (signature === undefined) throw new Error('no signature can be computed for its placeholder');
  return withTexts(input, (text) =>
    text.replaceAll('{signature}', signature).replaceAll('{encoded}', urlEncode(signature)),
  );
}

function fillingsOf(
  operation: string,
  vector: WrittenVector,
  signed: Signed,
  keys: KeyPair,
  place: readonly (string | number)[],
  contents: ContentFolder,
): readonly Filling[] {
  const complete = (stages: Stages | undefined): boolean =>
    (OPERATIONS[operation]?.stages ?? []).every((stage) => stages?.[stage] !== undefined);
  const ask = (input: Input, of: KeyPair): Asked => ({
    operation,
    keys: of,
    input: contents.expanded(input),
  });
  const fillings: Filling[] = [];
  const fill = (path: readonly string[], asked: Asked): void => {
    fillings.push({
      path: [...place, ...path],
      value: answered(answerTo(asked, SVC)),
      question: asked,
    });
  };

  const own = ask(signed.input, keys);
  if (!vector.refuse && !vector.accept && !complete(vector.expect)) fill(['expect'], own);
  if (vector.control && !complete(vector.control.expect)) {
    fill(
      ['control', 'expect'],
      ask({ ...signed.input, ...signed.control }, vector.control.keys ?? keys),
    );
  }
  for (const [name, { expect }] of Object.entries(vector.accept ?? {})) {
    if (!expect || complete(expect)) continue;
    if (Object.keys(expect).length === 0) {
      fill(['accept', name, 'expect'], own);
      continue;
    }
    const text = expect['stringToSign'];
    const base = typeof text === 'string' ? answerSigning(own, text, SVC) : answerTo(own, SVC);
    fillings.push({
      path: [...place, 'accept', name, 'expect'],
      value: { ...answered(base), ...expect },
    });
  }
  return fillings;
}

function answered(answer: ReturnType<typeof answerTo>): Stages {
  if (isRefused(answer))
    throw new Error(`the reference refuses it as ${answer.reason}: ${answer.message}`);
  return answer;
}

/** Why a refusal is not to be trusted: one of the two implementations accepts, or names another reason. */
async function refusalDoubt(
  session: Session,
  asked: Asked,
  reason: string,
): Promise<string | undefined> {
  const answer = answerTo(asked, SVC);
  if (!isRefused(answer) || answer.reason !== reason) {
    return `the reference gives ${JSON.stringify(answer)}, where ${reason} is due`;
  }
  const [reply] = await session.ask([asked]);
  return reply?.kind === 'refused' && reply.reason === reason
    ? undefined
    : `the second implementation gives ${JSON.stringify(reply)}, where ${reason} is due`;
}

/** Why a vector's values are not to be trusted: the second implementation gives others at some stage. */
async function doubtOf(
  session: Session,
  fillings: readonly Filling[],
): Promise<string | undefined> {
  const checked = fillings.flatMap(({ question, value }) =>
    question ? [{ question, value }] : [],
  );
  const replies = await session.ask(checked.map(({ question }) => question));
  for (const [i, { question, value }] of checked.entries()) {
    const reply = replies[i];
    if (reply?.kind !== 'result') {
      return `the second implementation gives no answer: ${JSON.stringify(reply)}`;
    }
    const stages = { ...reply.trace, ...reply.result };
    const form = (stage: string, of: Stages): string =>
      equalForm(question.operation, stage, of[stage]);
    const other = Object.keys(value).find((stage) => form(stage, value) !== form(stage, stages));
    if (other !== undefined) {
      return `the second implementation gives the ${other} ${JSON.stringify(stages[other])}, the reference ${JSON.stringify(value[other])}`;
    }
  }
  return undefined;
}

/** A text in double quotes, where a value or a name may stand. */
const QUOTED = /(?<=^\s*(?:- )*|[[{,:] ?)"(?:[^"\\]|\\.)*"/gm;

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/gu;

/** The document as text, every character of a quoted text visible and every word quoted that YAML 1.1 reads otherwise. */
function yamlText(document: Document): string {
  const text = document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  });
  const visible = text.replace(QUOTED, (quoted) => quoted.replace(NOT_PRINTABLE_ASCII, escaped));
  if (JSON.stringify(parseDocument(visible).toJS()) !== JSON.stringify(document.toJS())) {
    throw new Error('the file would not read back as it was meant; write its texts in another way');
  }
  return visible;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Stages as block YAML in which every byte of a text is visible. */
function stagesNode(document: Document, stages: Stages): YAMLMap {
  const node = document.createNode(stages) as unknown as YAMLMap;
  visit(node, {
    Scalar(key, scalar: Scalar) {
      if (key === 'key' || typeof scalar.value !== 'string') return;
      scalar.type =
        /^[A-Za-z0-9+/=_ .:-]+$/.test(scalar.value) &&
        /[g-zG-Z]/.test(scalar.value) &&
        !/: |[: ]$|^[ -]/.test(scalar.value)
          ? 'PLAIN'
          : 'QUOTE_DOUBLE';
    },
    Seq(_, seq) {
      if (seq.items.every((item) => isScalar(item))) seq.flow = true;
    },
  });
  return node;
}

/** Puts texts that changed into the document, node by node, so that its layout stays. */
function setSignatures(
  document: Document,
  path: readonly (string | number)[],
  value: unknown,
): void {
  const node = document.getIn(path, true);
  if (isScalar(node)) {
    if (node.value !== value) {
      node.value = value;
      node.type = 'QUOTE_DOUBLE';
    }
  } else if (isSeq(node)) {
    for (const [i, item] of (value as readonly unknown[]).entries())
      setSignatures(document, [...path, i], item);
  } else if (isMap(node)) {
    for (const [name, member] of Object.entries(value as object)) {
      if (document.hasIn([...path, name])) setSignatures(document, [...path, name], member);
    }
  }
}
