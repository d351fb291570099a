/**
 * Annotations that CI services show beside a change: workflow commands of GitHub, and the code quality report of GitLab.
 *
 * A failure has no line in a source file. The annotations of GitHub name no file, those of GitLab name the adapter.
 *
 * @module
 */
import { type Case, isWrong, listSuites } from './cases.ts';
import { harmless, harmlessLines } from './harmless.ts';
import {
  createLateReporter,
  kindOf,
  type Reporter,
  type Results,
  verdictSentence,
} from './reporter.ts';

/** GitHub shows ten errors of a step. The last one counts the remaining failures. */
const SHOWN = 9;

/** `::error title=…::…` lines, one for each of the first failures. */
export function github(): Reporter {
  const reporter = createLateReporter((results) => {
    const failed = failuresOf(results);
    const shown = failed.slice(0, SHOWN).map((one) => {
      // The text of a case starts with its message.
      const text = [one.suite, one.text || messageOf(one)].join('\n');
      return command('error', one.name, text);
    });
    const left = failed.length - shown.length;
    if (left > 0) shown.push(command('error', 'svc-conformance', `${left} more failures`));
    const verdict = verdictSentence(results.ending, kindOf(results.header));
    const last = failed.length === 0 ? [command('notice', 'svc-conformance', verdict)] : [];
    return [...shown, ...last].map((line) => `${line}\n`).join('');
  });
  return { ...reporter, hasCommands: true };
}

/** A workflow command. Its line breaks are escaped, so the text cannot start another command. */
function command(level: 'error' | 'notice', title: string, text: string): string {
  return `::${level} title=${escapeProperty(harmless(title))}::${escapeData(harmlessLines(text))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A list of issues (schema/gitlab.schema.json). */
export function gitlab(): Reporter {
  return createLateReporter((results) => {
    const issues = failuresOf(results).map((one) => ({
      description: [harmless(`${one.name}: ${messageOf(one)}`), ...(one.pages ?? [])].join('; '),
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

/** The cases that failed, each with the name of its suite. */
function failuresOf(results: Results): readonly (Case & { readonly suite: string })[] {
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
