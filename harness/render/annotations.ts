/**
 * Annotations that CI services show beside a change: workflow commands of GitHub, and the code quality report of GitLab.
 *
 * A failure has no line in a source file. The annotations of GitHub name a file only for stale expectations, those of GitLab name
 * the adapter.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import { formatCount } from '../engine/excerpt.ts';
import { findExample } from '../engine/report/example.ts';
import type { Report } from '../engine/report/report.ts';
import { type Case, isWrong, listSuites } from './cases.ts';
import { harmless, harmlessLines } from './harmless.ts';
import { totalText } from './next-steps.ts';
import { createReporter, type Reporter, type Results, verdictSentence } from './reporter.ts';
import { adviceSentences } from './sentences.ts';
import { toLines } from './terminal.ts';
import { implementationName } from './terminal-report.ts';

/** GitHub shows ten errors of a step. */
const SHOWN = 10;

/** `::error title=…::…` lines: one for each cause, the largest first, and one for each failure without a cause; then a notice with the totals. */
export function github(): Reporter {
  const reporter = createReporter((results) => {
    const left = failuresOf(results).filter(({ isExplained }) => isExplained !== true);
    const judged = results.reports.filter((report) => 'outcomes' in report);
    const errors = [...listCauses(judged).map(causeCommand), ...left.map(failureCommand)];
    const hidden = errors.length - SHOWN;
    const lines = toLines(
      verdictSentence(results),
      judged.map(totalLine),
      hidden > 0 && `${hidden} more causes and failures have no annotation`,
    );
    const notice = command('notice', { title: 'svc-conformance' }, lines.join('\n'));
    return [...errors.slice(0, SHOWN), notice].map((line) => `${line}\n`).join('');
  });
  return { ...reporter, hasCommands: true };
}

type CauseOfReport = readonly [cause: FoundCause, report: Report];

/** The causes of all reports; the one that explains the most failures comes first. */
function listCauses(reports: readonly Report[]): readonly CauseOfReport[] {
  return reports
    .flatMap((report) => report.causes.map((cause) => [cause, report] as const))
    .sort(([a], [b]) => b.explains.length - a.explains.length);
}

function causeCommand([cause, report]: CauseOfReport): string {
  const { mistake, explains } = cause;
  const count = formatCount(explains.length, 'failure');
  const text = toLines(
    implementationName(report),
    adviceSentences(mistake, report.header.suite),
    `shown by ${findExample(cause, report)?.vector.id}`,
  );
  const title = `${mistake.id}${describeCertaintyInSentence(cause)}: ${count}`;
  return command('error', { title }, text.join('\n'));
}

function failureCommand(one: FailedCase): string {
  // The text of a case starts with its message.
  const text = [one.suite, one.text || messageOf(one)].join('\n');
  return command('error', { ...one.place, title: one.name }, text);
}

function totalLine(report: Report): string {
  return `${implementationName(report)}: ${totalText(report, (_, text) => text)}`;
}

/** A workflow command. Its line breaks are escaped, so the text cannot start another command. */
function command(
  level: 'error' | 'notice',
  properties: Readonly<Record<string, string>>,
  text: string,
): string {
  const pairs = Object.entries(properties).map(
    ([name, value]) => `${name}=${escapeProperty(harmless(value))}`,
  );
  return `::${level} ${pairs.join()}::${escapeData(harmlessLines(text))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A list of issues (schema/gitlab.schema.json). */
export function gitlab(): Reporter {
  return createReporter((results) => {
    const issues = failuresOf(results).map((one) => ({
      description: [`${one.name}: ${messageOf(one)}`, ...(one.pages ?? [])]
        .map(harmless)
        .join('; page: '),
      check_name: `svc-conformance/${one.type ?? one.end}`,
      fingerprint: fingerprint(`${one.suite.split(' ')[0]} ${one.folder} ${one.name}`),
      severity: one.end === 'error' ? 'critical' : 'major',
      location: { path: harmless(one.suite), lines: { begin: 1 } },
    }));
    return `${JSON.stringify(issues, undefined, 2)}\n`;
  });
}

function messageOf({ message = '', type = '' }: Case): string {
  return message === '' ? type : message;
}

/** A case that failed, with the name of its suite. */
interface FailedCase extends Case {
  readonly suite: string;
}

function failuresOf(results: Results): readonly FailedCase[] {
  return listSuites(results).flatMap(({ name, cases }) =>
    cases.filter(isWrong).map((one) => ({ ...one, suite: name })),
  );
}

/** An identifier of a failure that is the same in every run: 32 hexadecimal digits, from FNV-1a with four initial values. */
function fingerprint(text: string): string {
  return [0, 1, 2, 3]
    .map((start) => {
      let hash = 0x811c9dc5 ^ start;
      for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, '0');
    })
    .join('');
}
