/**
 * Shows vectors, rules and mistakes in full. Loaded when `show` runs, not for its help.
 *
 * @module
 */
import type { Cause, Mistake } from '../../reference/mistakes/index.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import {
  createMistakeEntry,
  createRuleEntry,
  findCause,
  findMistake,
  listIds,
  type SdkFailures,
} from '../engine/proof/catalogue.ts';
import { compileGlob, createNoMatchError, selectVectors } from '../engine/select.ts';
import type { Rule, Suite, Vector } from '../engine/vector.ts';
import {
  causeBlock,
  causeLine,
  mistakeBlock,
  mistakeEntryLine,
  ruleBlock,
  ruleEntryLine,
  vectorBlock,
  vectorEntryLine,
} from '../render/catalogue.ts';
import { reproduction } from '../render/reproduction.ts';
import type { Terminal } from '../render/terminal.ts';
import { listRepositoryAdapters } from '../respondents/adapter/manifest.ts';
import { bundledCode } from '../suite/bundle.ts';
import { readExpectations } from '../suite/expectations.ts';
import type { Call } from './call.ts';
import { refuseFilters, selectionOf, suiteOf } from './selection.ts';
import { flagOption, type Parsed } from './verb.ts';

/** An entry as a JSON object, and as a block of text. */
interface Shown {
  readonly line: object;
  readonly block: (out: Terminal) => string;
}

export async function showEntries(given: Parsed, call: Call): Promise<number> {
  if (given.positionals.length === 0)
    throw new UsageError(
      'write svc-conformance show ID; `svc-conformance list --help` says how to list ids',
    );
  const suite = await suiteOf(given);
  for (const { line, block } of await createEntries(given, suite)) {
    call.print(`${flagOption(given, 'json') ? JSON.stringify(line) : block(call.terminal)}\n`);
  }
  return EXIT.asExpected;
}

async function createEntries(given: Parsed, suite: Suite): Promise<readonly Shown[]> {
  const named = given.positionals.map((id) => findNamed(id, suite));
  const rules = [...new Set(named.flatMap((one) => one.rules))];
  const mistakes = [...new Set(named.flatMap((one) => one.mistakes))];
  const causes = [...new Set(named.flatMap((one) => one.causes))];
  if (rules.length + mistakes.length + causes.length > 0)
    refuseFilters(given, ['rule', 'level', 'operation', 'smoke'], 'rules and mistakes');
  const known = rules.length + mistakes.length > 0 ? readSdkFailures() : [];
  const patterns = named.flatMap(({ vectors }) => vectors);
  const selection = { ...selectionOf(given), patterns, large: true };
  return [
    ...rules.map((rule) => showRule(rule, suite, known)),
    ...(await Promise.all(mistakes.map((mistake) => showMistake(mistake, suite, known)))),
    ...causes.map((cause) => showCause(cause, suite)),
    ...(patterns.length === 0
      ? []
      : selectVectors(suite, selection).map((vector) => showVector(vector, suite))),
  ];
}

interface Named {
  readonly rules: readonly Rule[];
  readonly mistakes: readonly Mistake[];
  /** Causes that change no step. */
  readonly causes: readonly Cause[];
  /** The glob itself, if it matches vectors. */
  readonly vectors: readonly string[];
}

/** @throws UsageError with the nearest id, if no entry has this id */
function findNamed(id: string, suite: Suite): Named {
  const regex = compileGlob(id);
  const rules = suite.rules.filter((rule) => regex.test(rule.id));
  const mistakes = [findMistake(id) ?? []].flat();
  const causes = [findCause(id) ?? []].flat();
  const vectors = suite.vectors.some((vector) => regex.test(vector.id)) ? [id] : [];
  if ([rules, mistakes, causes, vectors].some((found) => found.length > 0))
    return { rules, mistakes, causes, vectors };
  throw createNoMatchError('vector, rule or mistake', id, listIds(suite));
}

/** The known failures of the published SDKs. The package contains them even if no SDK is installed. */
function readSdkFailures(): readonly SdkFailures[] {
  return listRepositoryAdapters().flatMap(({ name, published, expectations }) =>
    published && expectations !== undefined
      ? [{ sdk: name, entries: readExpectations(expectations, true).entries }]
      : [],
  );
}

function showVector(vector: Vector, suite: Suite): Shown {
  const byHand = reproduction(vector);
  return {
    line: vectorEntryLine(vector, byHand),
    block: (out) => vectorBlock(vector, byHand, suite, out),
  };
}

function showRule(rule: Rule, suite: Suite, known: readonly SdkFailures[]): Shown {
  const entry = createRuleEntry(rule, suite, known, bundledCode(rule.id));
  return { line: ruleEntryLine(entry), block: (out) => ruleBlock(entry, out) };
}

async function showMistake(
  mistake: Mistake,
  suite: Suite,
  known: readonly SdkFailures[],
): Promise<Shown> {
  const entry = await createMistakeEntry(mistake, suite, known);
  return { line: mistakeEntryLine(entry), block: (out) => mistakeBlock(entry, out) };
}

function showCause(cause: Cause, { rules }: Suite): Shown {
  const rule = rules.find(({ id }) => id === cause.rule);
  return { line: causeLine(cause), block: (out) => causeBlock(cause, rule, out) };
}
