/**
 * A finding of `fuzz`, for people: what fails, and its request as a vector.
 *
 * @module
 */
import { Document, isMap, isScalar, isSeq, visit, type visitor } from 'yaml';
import { describeCertainty } from '../engine/diagnosis/certainty.ts';
import { type Finding, findingKey } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible, quote } from '../engine/excerpt.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { escapeYaml, NO_WRAPPING, YAML, yamlStyle } from '../engine/yaml-text.ts';
import { causePlaceText } from './cause-place.ts';
import { DEDUCED } from './causes.ts';
import { commandLine } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { neighbourSentence, ruleSentence } from './sentences.ts';
import { INDENT, labelled, type Terminal, toBlocks, toLines } from './terminal.ts';

/** The parts that are the same for all findings of a run. */
export interface Setting {
  readonly suite: Suite;
  /** The other words of the command line that shows a finding again. */
  readonly words: readonly string[];
}

/**
 * The details of a finding. If its cause was shown before, only the request and the difference.
 *
 * @param earlier the findings that were already shown
 */
export function findingBlock(
  finding: Finding,
  earlier: readonly Finding[],
  setting: Setting,
  out: Terminal,
): string {
  const { operation, vector, verdict, causes } = finding;
  const { paint, wrap } = out;
  const key = findingKey(finding, causes);
  const known = earlier.find((one) => findingKey(one, one.causes) === key);
  const ids = causes.map(({ mistake }) => mistake.id).join(', ');
  const lines = [
    `${paint('red', `FOUND ${verdict.status.toUpperCase()}`)} ${paint('bold', operation)}`,
    wrap(`asked about ${request(vector)}`),
    ...(known && causes.length > 0
      ? [
          wrap(labelled('cause', `${ids}, as in ${known.operation}`)),
          ...shownDifference(finding, out),
        ]
      : newFindingLines(finding, setting.suite, out)),
    `${INDENT}again: ${replay(finding, setting)}`,
  ];
  return toBlocks([lines]);
}

function newFindingLines(finding: Finding, suite: Suite, out: Terminal): readonly string[] {
  const { vector, verdict, isUnstable, neighbour, besides } = finding;
  const { wrap } = out;
  const yaml = vectorYaml(findingVector(finding, suite)).trimEnd().split('\n');
  return toLines(
    causeSentences(finding, suite).map((sentence) => wrap(sentence)),
    verdict.message !== '' && wrap(verdict.message),
    shownDifference(finding, out),
    wrap(isUnstable ? 'it was not shrunk' : neighbourSentence(neighbour, besides)),
    `${INDENT}as a vector of ${vector.operation}:`,
    yaml.map((line) => INDENT + INDENT + line),
  );
}

/** The members of the input on one line. */
function request({ input }: Vector): string {
  return Object.entries(input)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'string') return quote(value);
  return escapeInvisible(JSON.stringify(value));
}

function causeSentences({ causes, isUnstable, verdict }: Finding, suite: Suite): readonly string[] {
  if (isUnstable) return ['flaky: the same question passed when repeated'];
  if (causes.length === 0) {
    const { status } = verdict;
    return status === 'fail' || status === 'refused'
      ? ['unexplained: no known mistake gives this answer']
      : [];
  }
  return causes.flatMap((cause) => {
    const { mistake, others } = cause;
    const rule = suite.rules.find(({ id }) => id === mistake.rule);
    const more = others.map(({ id }) => id).join(', ');
    const certainty = more === '' ? describeCertainty(cause) : ` (or one of ${more})`;
    return toLines(
      labelled('cause', `${mistake.id}: ${mistake.wrong}; ${mistake.fix}${certainty}`),
      rule && ruleSentence(rule),
      labelled('page', causePlaceText(mistake.id, suite)),
    );
  });
}

function shownDifference({ verdict, deduced }: Finding, out: Terminal): readonly string[] {
  const difference = deduced ?? verdict.difference;
  if (!difference) return [];
  return differenceLines(difference, out, INDENT, deduced ? DEDUCED : '');
}

/** The command line that shows the finding again. */
function replay({ operation, seed, path }: Finding, { words }: Setting): string {
  const replayed = ['--operation', operation, '--seed', `${seed}`, '--path', path];
  return commandLine('fuzz', [...replayed, ...words]);
}

/** A placeholder that the author replaces. */
const WHY = 'Say here why an implementation gets this wrong.';

/** The vector that shows the finding, with a guessed id and guessed rules. */
function findingVector({ vector, verdict, causes }: Finding, suite: Suite): Vector {
  const [cause] = causes;
  const topic = cause?.mistake.id ?? `${vector.operation}-${verdict.status}`;
  const own = suite.vectors.filter(({ operation }) => operation === vector.operation);
  const simplest = own.find(({ id }) => suite.knownGood.includes(id)) ?? own[0];
  const known = new Set(suite.rules.filter(({ untested }) => !untested).map(({ id }) => id));
  const guessed = causes.map(({ mistake }) => mistake.rule).filter((rule) => known.has(rule));
  const rules = guessed.length > 0 ? guessed : (simplest?.rules ?? []).slice(0, 1);
  return { ...vector, id: `is-not-${topic}`, rules: [...new Set(rules)] };
}

/** One item of the list `vectors` of a file. */
function vectorYaml(vector: Vector): string {
  const { id, rules, keys, input, expect, refuse, control, forged } = vector;
  const isKeyless = keys.publicKey === '' && keys.privateKey === '';
  const item = {
    id,
    rules,
    why: WHY,
    source: 'found by fuzzing; say which section the value follows from',
    keys: isKeyless ? undefined : keys,
    input,
    expect,
    forged,
    refuse,
    control,
  };
  const document = new Document([item], { ...YAML, aliasDuplicateObjects: false });
  visit(document, STYLE);
  return escapeYaml(document.toString(NO_WRAPPING));
}

/** Writes texts in quotes where they need them, and short lists and maps on one line. */
const STYLE: visitor = {
  Scalar(key, scalar) {
    if (key !== 'key' && typeof scalar.value === 'string') scalar.type = yamlStyle(scalar.value);
  },
  Seq(_, seq) {
    if (seq.items.every((item) => isScalar(item))) seq.flow = true;
  },
  Map(_, map) {
    if (map.items.length === 1 && isScalar(map.items[0]?.value) && !isSeq(map.items[0]?.value)) {
      map.flow = isMap(map);
    }
  },
};
