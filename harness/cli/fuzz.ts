/**
 * `fuzz`: an adapter asked about requests that nobody wrote down.
 *
 * @module
 */
import { StartError } from '../adapter/session.ts';
import { wireNamed } from '../adapter/wires.ts';
import { dialectNamed } from '../dialects.ts';
import { EXIT } from '../errors.ts';
import { draftsOf } from '../fuzz/drafts.ts';
import { Explainer } from '../fuzz/explanation.ts';
import type { Finding } from '../fuzz/finding.ts';
import { findingBlock } from '../fuzz/finding-report.ts';
import { fuzz } from '../fuzz/fuzzing.ts';
import { Interview } from '../fuzz/interview.ts';
import type { Investigator } from '../fuzz/shrinking.ts';
import { silence } from '../fuzz/sign-of-life.ts';
import { print } from '../output.ts';
import { adapterCheckCommand } from '../report/commands.ts';
import { visible } from '../report/excerpt.ts';
import { terminal } from '../report/terminal.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder } from '../suite/content.ts';
import { chosenOperations, replayOptions, wishIn } from './fuzz-options.ts';
import type { Verb } from './verb.ts';

const TIME_IS_UP = 'the time is up';

/** How much longer than its time a run may take to show what it found; in milliseconds. */
const OVERTIME = 10_000;

export const fuzzVerb: Verb = async (parameters) => {
  const wish = wishIn(parameters);
  const dialect = dialectNamed(wish.dialect);
  const deadline = Date.now() + 1000 * wish.time;
  const interview = new Interview(wish.command, dialect, wish.timeout, await wireNamed(wish.wire));
  const contents = new ContentFolder();
  const interrupt = (): void => interview.abort('the run was interrupted');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // A question may be under way that nobody answers.
  const timer = Number.isFinite(wish.time)
    ? setTimeout(() => interview.abort(TIME_IS_UP), 1000 * wish.time + OVERTIME)
    : undefined;
  try {
    const suite = bundledSuite();
    const say = (text: string): void => void print(text);
    const never = (why: string): number => {
      say(`the adapter never worked: ${why}\ncheck its messages: ${adapterCheckCommand(wish)}\n`);
      return EXIT.neverWorked;
    };
    let offered: readonly string[];
    try {
      const { implementation, operations } = await interview.start();
      offered = operations;
      const { name, version, language } = implementation;
      say(`${visible(`${name} ${version} (${language})`).slice(1, -1)} · seed ${wish.seed}\n\n`);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      if (interview.over !== undefined) return aborted(interview.over, say);
      return never(error.message);
    }
    const operations = chosenOperations(wish.operations, offered);
    const dead = await silence(interview, suite, operations, wish.dialect, contents);
    if (interview.over !== undefined) return aborted(interview.over, say);
    if (dead !== undefined) return never(dead);

    const circumstances = { dialect, operations: offered, isAdvised: wish.isAdvised };
    const investigator: Investigator = {
      interview,
      circumstances,
      contents,
      explainer: new Explainer(dialect, contents),
      drafts: draftsOf(circumstances),
      timeout: wish.timeout,
      deadline,
    };
    const findings: Finding[] = [];
    const out = terminal(process.stdout, process.env);
    const line = progressLine();
    const command = wish.module === undefined ? wish.command : [];
    const setting = { suite, options: replayOptions(wish), command };
    const tried = await fuzz(
      investigator,
      { ...wish, operations },
      {
        found: (finding) => {
          line.clear();
          say(findingBlock(finding, findings, setting, out));
          findings.push(finding);
        },
        progress: (count, found) => line.show(`${count} requests · ${found} findings`),
      },
    );
    line.clear();
    const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
    const summary = `${tried.count} requests about ${operations.length} ${operations.length === 1 ? 'operation' : 'operations'} · ${interview.asked} questions · ${count}\n`;
    say(summary);
    if (interview.unsupported > 0) {
      say(`${interview.unsupported} questions were not answered, as unsupported\n`);
    }
    if (tried.left.length > 0) {
      say(`left before the end, after failures without news: ${tried.left.join(', ')}\n`);
    }
    if (interview.over !== undefined && interview.over !== TIME_IS_UP)
      return aborted(interview.over, say);
    return findings.length > 0 ? EXIT.failures : EXIT.asExpected;
  } finally {
    clearTimeout(timer);
    await interview.close();
    contents.remove();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
};

function aborted(why: string, say: (text: string) => void): number {
  say(`aborted: ${why}\n`);
  return EXIT.aborted;
}

/** A line that is written over, on a terminal; nothing anywhere else. */
function progressLine(): { readonly show: (text: string) => void; readonly clear: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY || !process.stdout.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => void stderr.write(`\r\u001b[K${text}`),
    clear: () => void stderr.write('\r\u001b[K'),
  };
}
