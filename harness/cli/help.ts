/**
 * `--help`: formats the tables of the verbs as text.
 *
 * @module
 */
import { groupByKey } from '../engine/group-by-key.ts';
import { filled } from '../render/terminal.ts';
import { COMMON_EXIT_CODES, type ExitCodes, type Option, type Verb } from './verb.ts';

const TITLE = 'svc-conformance: which mistake does your request signing make?';

const WIDTH = 80;

/** The indentation of the descriptions of options. */
const INDENT = ' '.repeat(21);

/** The exit codes of all verbs. The help of a verb describes its own codes more precisely. */
export const EXIT_CODES: ExitCodes = {
  0: 'all as expected, or done',
  1: 'failures: wrong answers, findings, a wrong signature',
  2: 'usage: an unknown option, a pattern that matches nothing, a missing file',
  3: 'data is invalid: a vector file, a line of answers, a data folder',
  4: 'the adapter, the client or the server never worked',
  5: 'aborted, or some questions were not asked or not answered',
  6: 'the harness failed, or a report or standard output could not be written',
};

const MORE = 'Options, exit codes and an example of a verb: svc-conformance help VERB.';
const DOCUMENTATION =
  'Documentation: svc-conformance docs. Version: svc-conformance --version (-V).';

export function overview(verbs: readonly Verb[]): string {
  return joinParts([
    TITLE,
    verbs.map(introduction).join('\n'),
    exitCodeTable(EXIT_CODES),
    `${MORE}\n${DOCUMENTATION}`,
  ]);
}

export function verbHelp(verb: Verb): string {
  const notes = (verb.notes ?? []).map((note) => filled(note, WIDTH, ''));
  return joinParts([
    introduction(verb),
    ...tables(verb),
    ...notes,
    exitCodeTable({ ...COMMON_EXIT_CODES, ...verb.exitCodes }),
    `Example:\n  svc-conformance ${verb.example}`,
    DOCUMENTATION,
  ]);
}

function exitCodeTable(codes: ExitCodes): string {
  const rows = Object.entries(codes).map(([code, meaning]) => {
    const text = filled(meaning, WIDTH, '     ');
    return `  ${code}  ${text.trimStart()}`;
  });
  return ['Exit codes:', ...rows].join('\n');
}

function joinParts(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function introduction({ usage, summary }: Verb): string {
  const lines = usage.map((line) => `  svc-conformance ${line}`);
  return [...lines, filled(summary, WIDTH, '      ')].join('\n');
}

/** A table for each group, in the order in which the groups first appear. */
function tables({ operands = {}, options }: Verb): readonly string[] {
  const rows = [
    ...Object.entries(operands).map(
      ([name, { group = 'Operands', help }]) => [group, row(name, help)] as const,
    ),
    ...Object.entries(options).map(([name, option]) => optionRow(name, option)),
  ];
  return [...groupByKey(rows)].map(([group, own]) => [`${group}:`, ...own].join('\n'));
}

function optionRow(name: string, option: Option): readonly [group: string, row: string] {
  const { group = 'Options', help } = option;
  const { written, remark } = describeOption(name, option);
  return [group, row(written, `${help} ${remark}`.trimEnd())];
}

/** How an option is written, and a remark such as "(repeatable, default 5)", which may be empty. */
export function describeOption(name: string, option: Option): { written: string; remark: string } {
  const flags = option.short === undefined ? `--${name}` : `-${option.short}, --${name}`;
  const hasDefault = option.default !== undefined;
  const remarks = [option.repeatable && 'repeatable', hasDefault && `default ${option.default}`];
  const further = remarks.filter(Boolean).join(', ');
  return {
    written: [flags, option.value ?? []].flat().join(' '),
    remark: further === '' ? '' : `(${further})`,
  };
}

/** A name and its description, on the same line if the name is short. */
function row(name: string, help: string): string {
  const text = filled(help, WIDTH, INDENT);
  const isNarrow = name.length + 4 <= INDENT.length;
  return isNarrow
    ? `  ${name}`.padEnd(INDENT.length) + text.slice(INDENT.length)
    : `  ${name}\n${text}`;
}
