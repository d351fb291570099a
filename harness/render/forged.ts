/**
 * The mistakes that verifiers share with signers, for people.
 *
 * @module
 */
import { shorten } from '../engine/excerpt.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Report } from '../engine/report/report.ts';
import { type Accept, ruleLines } from './causes.ts';
import { withAccept } from './commands.ts';
import { othersSentence } from './sentences.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** Further shared mistakes are only counted; `--all` shows them. */
const SHOWN_SHARED = 10;

/** Longer requests are cut; in characters. */
const LONGEST_REQUEST = 600;

const INDENT = '  ';

/** A line for each mistake that verifiers share with signers, or a paragraph with `--all`. */
export function sharedBlock(report: Report, out: Terminal, all: boolean, accept: Accept): string {
  const shared = report.details?.shared ?? [];
  if (shared.length === 0) return '';
  if (all) {
    const blocks = shared.map((one) =>
      withAccept(sharedLines(one, report, out).join('\n'), accept({ cause: causeOf(one) })),
    );
    return blocks.map((block) => `${block}\n\n`).join('');
  }
  const lines = shared.slice(0, SHOWN_SHARED).map((one) => sharedHeading(one, out));
  const left = shared.length - lines.length;
  if (left > 0) lines.push(`… and ${left} more shared mistakes; --all shows them`);
  // The commands of the causes above also accept their forged requests.
  const further = shared.map(causeOf).filter((cause) => !isCauseOf(report, cause));
  const [cause = ''] = further;
  if (cause !== '') lines.push(accept(further.length === 1 ? { cause } : 'everything'));
  return `${lines.filter((line) => line !== '').join('\n')}\n\n`;
}

function causeOf({ mistakes }: SharedMistake): string {
  const [mistake] = mistakes;
  if (!mistake) throw new Error('an accepted forgery names no known mistake; run npm run build');
  return mistake.id;
}

function isCauseOf({ causes }: Report, id: string): boolean {
  return causes.some(({ mistake }) => mistake.id === id);
}

function sharedHeading(one: SharedMistake, { paint }: Terminal): string {
  const { operations, mistakes } = one;
  const accept = `${operations.join(' and ')} ${operations.length === 1 ? 'accepts' : 'accept'}`;
  return `${paint('red', 'FORGED')} ${accept} a request signed with ${paint('bold', causeOf(one))}${mistakes.length === 1 ? '' : ' (or a similar mistake)'}`;
}

function sharedLines(one: SharedMistake, report: Report, out: Terminal): readonly string[] {
  const [mistake, ...others] = one.mistakes;
  const line = (text: string): string => wrapped(text, out.width, INDENT);
  const heading = sharedHeading(one, out);
  if (!mistake || isCauseOf(report, mistake.id))
    return [heading, line('the cause above; the verifier shares the mistake')];
  const [request] = one.accepted;
  return [
    heading,
    line(`cause ${mistake.wrong}; the verifier shares the mistake`),
    line(`fix ${mistake.fix}`),
    ...ruleLines(mistake.rule, report.header.suite, out.width),
    line(causePageLine(mistake.id, report.header.suite)),
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
