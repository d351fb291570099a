/**
 * The mistakes behind the failures of a run, for people.
 *
 * @module
 */
import { describeCertainty, type FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { ShrunkVector } from '../engine/diagnosis/explanation.ts';
import { parseDialect } from '../engine/dialects.ts';
import { escapeInvisible, shorten } from '../engine/excerpt.ts';
import { deduceDifference } from '../engine/insight/insight.ts';
import { describeShape } from '../engine/insight/shape.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import { UNEXPLAINED } from '../engine/judge/expectation.ts';
import { type Outcome, toControlQuestion } from '../engine/judge/outcome.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import type { Report } from '../engine/report/report.ts';
import type { Suite } from '../engine/vector.ts';
import { type Accepted, withAccept } from './commands.ts';
import { differenceLines } from './difference-lines.ts';
import { neighbourSentence, othersSentence } from './sentences.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More ids than this are counted. */
const SHOWN_IDS = 3;

/** More shared mistakes than this are counted; `--all` shows them. */
const SHOWN_SHARED = 10;

/** Longer requests are cut; in characters. */
const LONGEST_REQUEST = 600;

const INDENT = '  ';

type Accept = (accepted: Accepted) => string;

/** A paragraph for each cause, the one that explains most first, then the unexplained failures; empty if no answer was wrong. */
export function causesBlock(report: Report, out: Terminal, accept: Accept): string {
  const { causes, unexplained } = report;
  if (causes.length === 0 && unexplained.length === 0) return '';
  const blocks = causes.map((cause) =>
    withAccept(causeBlock(cause, report, out), accept({ cause: cause.mistake.id })),
  );
  if (unexplained.length > 0) {
    blocks.push(withAccept(unexplainedBlock(report, out), accept({ cause: UNEXPLAINED })));
  }
  const title = out.paint('bold', causesHeading(report));
  return `${title}\n\n${blocks.map((block) => `${block}\n\n`).join('')}`;
}

/** A failure without an answer, such as a crash, counts as one that no cause explains. */
export function causesHeading({ causes, unexplained, failures }: Report): string {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  for (const id of unexplained) explained.delete(id);
  const failed = failures.map(({ vector }) => vector.id);
  const all = new Set([...explained, ...unexplained, ...failed]).size;
  const count = `${all} ${all === 1 ? 'failure' : 'failures'}`;
  if (causes.length === 0)
    return `no known mistake explains ${all === 1 ? 'the failure' : `any of ${count}`}`;
  const known = causes.length === 1 ? '1 cause explains' : `${causes.length} causes explain`;
  return explained.size === all ? `${known} ${count}` : `${known} ${explained.size} of ${count}`;
}

/** The first of many ids. */
export function someIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).join(', ');
  return ids.length > SHOWN_IDS ? `${shown} and ${ids.length - SHOWN_IDS} more` : shown;
}

/** The lines about a cause that are the same for a signer, a verifier and a client. */
export function causeLines(
  found: FoundCause,
  suite: Suite,
  { width, paint }: Terminal,
): readonly string[] {
  const { mistake, confidence, within, explains } = found;
  const { id, wrong, fix, seen } = mistake;
  const paragraph = (text: string): string => wrapped(text, width, INDENT);
  return [
    `${paint('red', 'CAUSE')} ${paint('bold', id)}${describeCertainty(found)}`,
    paragraph(`cause ${wrong}`),
    paragraph(`fix ${fix}`),
    ...ruleLines(mistake.rule, suite, width),
    ...(within === undefined ? [] : [paragraph(`made in ${within.join(' and ')}, not elsewhere`)]),
    paragraph(`explains ${someIds(explains)}`),
    ...(confidence === 'one of' ? [paragraph(othersSentence(found))] : []),
    ...(seen === undefined ? [] : [paragraph(`seen in ${seen}`)]),
  ];
}

function ruleLines(id: string, { rules }: Suite, width: number): readonly string[] {
  const rule = rules.find((candidate) => candidate.id === id);
  return rule ? [wrapped(`rule ${rule.id} (${rule.level}): ${rule.text}`, width, INDENT)] : [];
}

function causeBlock(found: FoundCause, report: Report, out: Terminal): string {
  const deduce = (outcome: Outcome): Difference | undefined => deduced(outcome, found, report);
  return [
    ...causeLines(found, report.header.suite, out),
    ...exampleLines(found.explains, report, out, deduce),
  ].join('\n');
}

/** The smallest vector that shows a cause, the difference, and what was signed instead if that can be deduced. */
function exampleLines(
  [id]: readonly string[],
  { outcomes }: Report,
  out: Terminal,
  deduce: (outcome: Outcome) => Difference | undefined = () => undefined,
): readonly string[] {
  const outcome = outcomes.find(({ vector }) => vector.id === id);
  const difference = outcome?.verdict.difference;
  if (!difference) return [];
  const signed = deduce(outcome);
  const { toSign, ...seen } = difference;
  const indent = INDENT + INDENT;
  return [
    wrapped(`shown by ${id}:`, out.width, INDENT),
    ...differenceLines(signed ? seen : difference, out, indent),
    ...(signed
      ? differenceLines(
          { ...signed, ...(toSign !== undefined && { toSign }) },
          out,
          indent,
          ', as the digest shows',
        )
      : []),
  ];
}

function deduced(
  { vector, verdict }: Outcome,
  { mistake }: FoundCause,
  { subject }: Report,
): Difference | undefined {
  const { control } = vector;
  const answered = control ? { ...toControlQuestion(vector), expect: control.expect } : vector;
  const dialect = parseDialect(subject.dialect);
  return verdict.difference && deduceDifference(answered, verdict.difference, [mistake], dialect);
}

function unexplainedBlock(report: Report, out: Terminal): string {
  const { unexplained, shrunk, silent, details } = report;
  const { width, paint } = out;
  const shape = details?.sharedShape;
  return [
    `${paint('red', 'UNEXPLAINED')} by any known mistake`,
    ...(shape
      ? [wrapped(`shape of all ${shape.answers} answers: ${describeShape(shape)}`, width, INDENT)]
      : []),
    wrapped(someIds(unexplained), width, INDENT),
    ...(shrunk.length === 0 ? exampleLines(unexplained, report, out) : []),
    ...shrunk.flatMap((one) => shrunkLines(one, out)),
    ...(silent === undefined
      ? []
      : [
          wrapped(`not made smaller to the end, because ${escapeInvisible(silent)}`, width, INDENT),
        ]),
  ].join('\n');
}

/** The smallest failing request and the nearest passing one. */
function shrunkLines(
  { id, vector, verdict, claim, neighbour, besides, isDrawn }: ShrunkVector,
  out: Terminal,
): readonly string[] {
  const paragraph = (text: string): string => wrapped(text, out.width, INDENT + INDENT);
  const origin = isDrawn
    ? `drawn, because ${id} is signed and cannot be made smaller`
    : `from ${id}`;
  return [
    wrapped(`smallest ${vector.operation}, ${origin}:`, out.width, INDENT),
    `${INDENT}${INDENT}input ${escapeInvisible(JSON.stringify(vector.input))}`,
    ...(claim === undefined ? [] : [paragraph(`although ${claim}`)]),
    ...(verdict.message === '' ? [] : [paragraph(escapeInvisible(verdict.message))]),
    ...(verdict.difference ? differenceLines(verdict.difference, out, INDENT + INDENT) : []),
    paragraph(neighbourSentence(neighbour, besides)),
  ];
}

/** A paragraph for each mistake that verifiers share with signers. */
export function sharedBlock(report: Report, out: Terminal, all: boolean, accept: Accept): string {
  const shared = report.details?.shared ?? [];
  const shown = all ? shared : shared.slice(0, SHOWN_SHARED);
  const blocks = shown.map((one) => {
    const cause = one.mistakes[0]?.id ?? '';
    return withAccept(sharedLines(one, report, out).join('\n'), accept({ cause }));
  });
  const left = shared.length - shown.length;
  if (left > 0) blocks.push(`… and ${left} more shared mistakes; --all shows them`);
  return blocks.map((block) => `${block}\n\n`).join('');
}

function sharedLines(
  { operations, mistakes, accepted }: SharedMistake,
  { header: { suite }, causes }: Report,
  { width, paint }: Terminal,
): readonly string[] {
  const [mistake, ...others] = mistakes;
  if (!mistake) throw new Error('an accepted forgery names no known mistake; run npm run build');
  const { id, wrong, fix } = mistake;
  const accept = `${operations.join(' and ')} ${operations.length === 1 ? 'accepts' : 'accept'}`;
  const line = (text: string): string => wrapped(text, width, INDENT);
  const heading = `${paint('red', 'FORGED')} ${accept} a request signed with ${paint('bold', id)}${others.length === 0 ? '' : ' (or one alike)'}`;
  if (causes.some((cause) => cause.mistake.id === id))
    return [heading, line('the cause above; the verifier shares the mistake')];
  const [request] = accepted;
  return [
    heading,
    line(`cause ${wrong}; the verifier shares the mistake`),
    line(`fix ${fix}`),
    ...ruleLines(mistake.rule, suite, width),
    ...(others.length === 0 ? [] : [line(othersSentence({ others }))]),
    ...(request
      ? [
          line(
            `request of ${request.vector}: ${shorten(JSON.stringify(request.input), LONGEST_REQUEST)}`,
          ),
        ]
      : []),
  ];
}
