/**
 * `show`: a vector in full.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { quote } from '../engine/excerpt.ts';
import { selectVectors } from '../engine/select.ts';
import type { Stages, Suite, Vector } from '../engine/vector.ts';
import { reproduction } from '../render/reproduction.ts';
import { wrapped } from '../render/terminal.ts';
import { SELECTING_EXIT_CODES } from './exit-codes.ts';
import { ID, SELECTION, selectionOf, suiteOf } from './selection.ts';
import type { Verb } from './verb.ts';

export const showVerb: Verb = {
  usage: ['show ID…'],
  example: 'show authorization/folding/replaces-a-fold-with-a-tab',
  exitCodes: SELECTING_EXIT_CODES,
  summary:
    'Shows a vector in full: its rules, its input, every stage of its answer, and a line of python3 that computes the answer by hand.',
  operands: { ID },
  options: SELECTION,
  async run(given, call) {
    if (given.positionals.length === 0)
      throw new UsageError('write svc-conformance show ID; `list` names them');
    const suite = await suiteOf(given);
    const { width, paint } = call.terminal;
    for (const vector of selectVectors(suite, selectionOf(given))) {
      call.print(`${paint('bold', vector.id)}\n${described(vector, suite, width)}\n`);
    }
    return EXIT.asExpected;
  },
};

function described(vector: Vector, suite: Suite, width: number): string {
  const { rules, why, source, level, keys, input, expect, accept, refuse, control } = vector;
  const blocks = [
    wrapped(why, width, '  '),
    `  level   ${level}\n  source  ${source}`,
    ...rules.map((id) => {
      const rule = suite.rules.find((candidate) => candidate.id === id);
      return wrapped(`rule ${id} (${rule?.level}): ${rule?.text}`, width, '  ');
    }),
    members('keys', { ...keys }),
    members('input', input),
    ...(expect ? [members('expect', expect)] : []),
    ...(refuse ? [`  refuse\n    reason ${refuse.reason}${refuse.exact ? ' (exactly)' : ''}`] : []),
    ...(control
      ? [members('control: input with', control.input), members('control: expect', control.expect)]
      : []),
    ...Object.entries(accept ?? {}).map(
      ([name, answer]) =>
        `${wrapped(`accept ${name}: ${answer.because}`, width, '  ')}\n${
          answer.expect
            ? members('', answer.expect).slice(3)
            : `    refused as ${answer.refuse?.reason}`
        }`,
    ),
  ];
  const line = reproduction(vector);
  if (line !== undefined) blocks.push(`  by hand\n    ${line}`);
  return blocks.map((block) => `${block}\n`).join('');
}

/** A line for each member. A signed text stays on one line, with every byte visible. */
function members(title: string, values: Stages): string {
  const longest = Math.max(0, ...Object.keys(values).map((name) => name.length));
  const lines = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? quote(value) : JSON.stringify(value);
    return `    ${name.padEnd(longest)} ${text}`;
  });
  return [`  ${title}`, ...lines].join('\n');
}
