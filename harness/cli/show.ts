/**
 * `show`: one vector whole.
 *
 * @module
 */
import { EXIT, UsageError } from '../errors.ts';
import { print } from '../output.ts';
import { visible } from '../report/excerpt.ts';
import { reproduction } from '../report/reproduction.ts';
import { terminal, wrapped } from '../report/terminal.ts';
import { selectedVectors } from '../suite/select.ts';
import type { Stages, Suite, Vector } from '../suite/vector.ts';
import { parsed, refuseCommand, SELECTION, selectionOf, suiteOf, type Verb } from './verb.ts';

export const showVerb: Verb = async (parameters) => {
  const given = parsed(parameters, SELECTION);
  refuseCommand(given);
  if (given.positionals.length === 0)
    throw new UsageError('write svc-conformance show ID; `list` names them');
  const suite = await suiteOf(given);
  const { width, paint } = terminal(process.stdout, process.env);
  for (const vector of selectedVectors(suite, selectionOf(given))) {
    print(`${paint('bold', vector.id)}\n${described(vector, suite, width)}\n`);
  }
  return EXIT.asExpected;
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

/** One line a member; signed text stays one line in which every byte is visible. */
function members(title: string, values: Stages): string {
  const longest = Math.max(0, ...Object.keys(values).map((name) => name.length));
  const lines = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? visible(value) : JSON.stringify(value);
    return `    ${name.padEnd(longest)} ${text}`;
  });
  return [`  ${title}`, ...lines].join('\n');
}
