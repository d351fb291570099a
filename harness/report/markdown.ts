/**
 * A summary in Markdown, as CI services show it beside a run.
 *
 * What adapters say stands in blocks of code only, where it can be no markup.
 *
 * @module
 */
import { certaintyWords } from '../diagnosis/diagnose.ts';
import type { Explanation } from '../diagnosis/explanation.ts';
import { sharedMistakes } from '../forgeries/shared-mistakes.ts';
import type { Outcome, Run } from '../run.ts';
import { LEVELS } from '../suite/vector.ts';
import {
  countsOf,
  forgedCounts,
  freshCounts,
  internalErrorIn,
  isFailure,
  isForgedFailure,
} from '../verdict.ts';
import { differenceLines } from './difference-lines.ts';
import { visibleWithin } from './excerpt.ts';
import { freshSentence } from './fresh.ts';
import { harmless } from './harmless.ts';
import {
  type Beginning,
  type Ending,
  type JudgedSubject,
  kindOf,
  type Reporter,
  type SubjectKind,
} from './reporter.ts';
import { implementationName } from './summary.ts';
import { plainTerminal } from './terminal.ts';
import { unaskedSentences } from './unasked.ts';
import { verdictSentence } from './verdict-sentence.ts';

/** More failures and more ids of a cause than this are counted. */
const SHOWN_FAILURES = 10;
const SHOWN_IDS = 3;

const NEVER_WORKED: Readonly<Record<SubjectKind, string>> = {
  adapter: 'The adapter never worked:',
  server: 'The server never worked:',
  client: 'There was nothing to judge:',
};

/** The verdict stands first, so everything is written in the end. */
export function markdown(): Reporter {
  // Of a run that never begins.
  let title = '## svc-conformance did not judge anything';
  let kind: SubjectKind = 'adapter';
  const sections: string[] = [];
  return {
    begun(beginning) {
      title = titleOf(beginning);
      kind = kindOf(beginning);
      return '';
    },
    judged(judged) {
      sections.push(section(judged, kind));
      return '';
    },
    ended: (ending: Ending) =>
      [title, `**${verdictSentence(ending, kind)}**`, ...sections]
        .map((part) => `${part}\n\n`)
        .join(''),
  };
}

function titleOf(beginning: Beginning): string {
  const { suite, vectors, seed } = beginning;
  const start = `## svc-conformance ${suite.version}: ${vectors.length}`;
  if (kindOf(beginning) === 'client') return `${start} requests`;
  const fresh = seed === undefined ? '' : `, fresh data, seed ${seed}`;
  return `${start} of ${suite.vectors.length} vectors${fresh}`;
}

function section({ subject, run, explanation }: JudgedSubject, kind: SubjectKind): string {
  if (!run)
    return [
      `### ${inline(subject.name)}`,
      `not run, because ${inline(subject.missing ?? '')}`,
    ].join('\n\n');
  const { neverWorked, over, stale = [], notes = [] } = run;
  const [left, freshFault] = [unaskedSentences(run), freshSentence(run)];
  const internalError = internalErrorIn(run);
  return [
    `### ${inline(implementationName(run, subject.name))}`,
    ...(neverWorked === undefined
      ? [countsTable(run, kind)]
      : [NEVER_WORKED[kind], block([neverWorked])]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${plain(note)}`).join('\n')]),
    ...(internalError === undefined ? [] : ['The harness failed:', block([internalError])]),
    ...(over === undefined ? [] : ['The run ended before its end:', block([over])]),
    ...(left.length === 0 ? [] : ['Not everything was asked:', block(left)]),
    ...(freshFault === undefined ? [] : [`- ${plain(freshFault)}`]),
    ...causes(explanation),
    ...sharedLines(run),
    ...(stale.length === 0
      ? []
      : ['Expectations that are over:', block(stale.map(({ problem }) => problem))]),
    ...failures([...run.outcomes, ...(run.fresh?.outcomes ?? [])]),
  ].join('\n\n');
}

function countsTable(run: Run, kind: SubjectKind): string {
  const counts = countsOf(run.outcomes);
  const rows = [
    ...LEVELS.map((level) => [level, counts[level]] as const),
    ['forged', forgedCounts(run.forged ?? [])] as const,
    [run.fresh ? `fresh (seed ${run.fresh.seed})` : 'fresh', freshCounts(run)] as const,
  ].filter(([, of]) => of.size > 0);
  return [
    `| level | ${kind === 'client' ? 'requests' : 'vectors'} |`,
    '|---|---|',
    ...rows.map(
      ([name, of]) =>
        `| ${name} | ${[...of].map(([status, count]) => `${count} ${status}`).join(', ')} |`,
    ),
  ].join('\n');
}

function causes(explanation: Explanation | undefined): readonly string[] {
  const { causes: known = [], unexplained = [] } = explanation ?? {};
  const lines = known.map((cause) => {
    const { mistake, explains } = cause;
    return `- **${mistake.id}**${certaintyWords(cause)}: ${plain(mistake.wrong)}. Fix: ${plain(mistake.fix)} (rule ${mistake.rule}). ${failureCount(explains)}`;
  });
  const rest =
    unexplained.length === 0
      ? []
      : [`- **unexplained** by any known mistake. ${failureCount(unexplained)}`];
  return lines.length + rest.length === 0 ? [] : ['Causes:', [...lines, ...rest].join('\n')];
}

function failureCount(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).map(inline).join(', ');
  const more = ids.length > SHOWN_IDS ? ', …' : '';
  return `${ids.length} ${ids.length === 1 ? 'failure' : 'failures'}: ${shown}${more}`;
}

function sharedLines({ forged = [] }: Run): readonly string[] {
  const accepted = new Set(forged.filter(isForgedFailure).map(({ forgery }) => forgery));
  const shared = sharedMistakes(forged).filter((one) =>
    one.accepted.some((forgery) => accepted.has(forgery)),
  );
  const lines = shared.map(
    ({ operations, mistakes }) =>
      `- ${operations.join(' and ')}: **${mistakes[0]?.id ?? 'an unknown mistake'}**${mistakes.length > 1 ? ' (or one alike)' : ''}`,
  );
  return lines.length === 0 ? [] : ['Verifiers accept requests signed with:', lines.join('\n')];
}

function failures(outcomes: readonly Outcome[]): readonly string[] {
  const failed = outcomes.filter(isFailure);
  if (failed.length === 0) return [];
  const shown = failed
    .slice(0, SHOWN_FAILURES)
    .flatMap(({ vector, verdict, otherwise }) => [
      `${verdict.status} ${vector.id}`,
      ...[otherwise ?? '', verdict.message].filter(Boolean).map((text) => `  ${text}`),
      ...(verdict.difference ? differenceLines(verdict.difference, plainTerminal(), '  ') : []),
      '',
    ]);
  const count = `${failed.length} ${failed.length === 1 ? 'failure' : 'failures'}`;
  const which = failed.length > SHOWN_FAILURES ? `${count}, the first ${SHOWN_FAILURES}` : count;
  return [`<details><summary>${which}</summary>`, block(shown.slice(0, -1)), '</details>'];
}

/** A block of code with a fence that none of its lines can end. */
function block(lines: readonly string[]): string {
  const text = lines.map(visibleWithin);
  const longest = Math.max(
    2,
    ...(text
      .join('\n')
      .match(/`+/g)
      ?.map(({ length }) => length) ?? []),
  );
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...text, fence].join('\n');
}

/** A foreign text within a line. */
function inline(text: string): string {
  const shown = visibleWithin(text);
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

/** Our own words, which may hold what Markdown would take for markup. */
function plain(text: string): string {
  return harmless(text).replace(/[\\`*_{}[\]<>#|~]/g, (character) => `\\${character}`);
}
