/**
 * `list`: the vectors, the rules or the mistakes.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { selectRules, selectVectors } from '../engine/select.ts';
import type { Suite } from '../engine/vector.ts';
import { mistakeLine, ruleLine, vectorLine } from '../render/catalogue.ts';
import type { Call } from './call.ts';
import { ID, JSON_LINES, refuseFilters, SELECTION, selectionOf, suiteOf } from './selection.ts';
import { type Parsed, SELECTING_EXIT_CODES, type Verb } from './verb.ts';

export const listVerb: Verb = {
  usage: [
    'list [options] [ID…]',
    'list --rules [options] [ID…]',
    'list --mistakes [options] [ID…]',
  ],
  example: "list --rule '5.2/headers-*'",
  exitCodes: SELECTING_EXIT_CODES,
  summary:
    'Lists the vectors (id, level, rules), the rules (id, level, text) or the mistakes (id, rule, cause), separated by tabs.',
  operands: { ID: { ...ID, help: `${ID.help}; with --rules or --mistakes, ids of those` } },
  options: {
    rules: { type: 'flag', help: 'list the rules; --rule and --level select some of them' },
    mistakes: {
      type: 'flag',
      help: 'list the mistakes of the register, or the mistakes that an ID names, even generated ones; --rule selects mistakes that break a rule',
    },
    json: JSON_LINES,
    ...SELECTION,
  },
  notes: [
    'Generated mistakes have ids of the form place/change; list --mistakes with a glob such as "sorted-headers/*" lists those of a place, and "*/*" all.',
  ],
  run: listEntries,
};

/** An entry of the list: an object for programs, and columns for people. */
interface Listed {
  readonly line: object;
  readonly columns: readonly string[];
}

async function listEntries(given: Parsed, call: Call): Promise<number> {
  const { rules, mistakes, json } = given.values;
  if (rules && mistakes)
    throw new UsageError('--rules and --mistakes cannot be combined; pass one of them');
  const suite = await suiteOf(given);
  const listed = rules
    ? listRules(given, suite)
    : mistakes
      ? await listMistakes(given, suite)
      : listVectors(given, suite);
  const lines = listed.map(({ line, columns }) =>
    json ? JSON.stringify(line) : columns.join('\t'),
  );
  call.print(lines.map((line) => `${line}\n`).join(''));
  return EXIT.asExpected;
}

function listVectors(given: Parsed, suite: Suite): readonly Listed[] {
  return selectVectors(suite, { ...selectionOf(given), large: true }).map((vector) => ({
    line: vectorLine(vector),
    columns: [vector.id, vector.level, vector.rules.join(' ')],
  }));
}

function listRules(given: Parsed, suite: Suite): readonly Listed[] {
  refuseFilters(given, ['operation', 'smoke'], 'rules');
  const { patterns, rules, levels } = selectionOf(given);
  return selectRules(suite, [patterns, rules], levels).map((rule) => ({
    line: ruleLine(rule),
    columns: [rule.id, rule.level, rule.text],
  }));
}

async function listMistakes(given: Parsed, suite: Suite): Promise<readonly Listed[]> {
  refuseFilters(given, ['operation', 'smoke', 'level'], 'mistakes');
  const { selectMistakes } = await import('../engine/proof/catalogue.ts');
  const { patterns, rules } = selectionOf(given);
  const broken = new Set(selectRules(suite, [rules], []).map(({ id }) => id));
  return selectMistakes(patterns)
    .filter(({ rule }) => rules.length === 0 || broken.has(rule))
    .map((mistake) => ({
      line: mistakeLine(mistake),
      columns: [mistake.id, mistake.rule, mistake.wrong],
    }));
}
