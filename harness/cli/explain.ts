/**
 * `explain`: one captured request, what it should have signed, and which mistake its signature shows.
 *
 * @module
 */
import { dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { capturedRequest, capturedText } from '../explain/captured-request.ts';
import { explained, type Line } from '../explain/explanation.ts';
import { keyPairOfEnvironment, keyPairOfFile } from '../explain/key-pair.ts';
import { recognized } from '../explain/recognized.ts';
import { type Hide, hiding } from '../explain/secrecy.ts';
import { namesPublicKey } from '../explain/subject.ts';
import { bytesOfFile, bytesOfInput, LARGEST } from '../input.ts';
import { print, warn } from '../output.ts';
import { visible } from '../report/excerpt.ts';
import { type Style, type Terminal, terminal, wrapped } from '../report/terminal.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { type Parsed, parsed, textOption, type Verb } from './verb.ts';

const OPTIONS = {
  keys: { type: 'string' },
  dialect: { type: 'string' },
  'file-host': { type: 'string' },
  bucket: { type: 'string' },
  now: { type: 'string' },
} as const;

export const explainVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  if (given.positionals.length > 1 || given.command) {
    // Nothing is quoted here: it may be a key.
    throw new UsageError(
      'explain takes one FILE, or the request on standard input; keys come from --keys FILE or the environment, never from the command line',
    );
  }
  const file = textOption(given, 'keys');
  const keys = await (file === undefined ? keyPairOfEnvironment(process.env) : keyPairOfFile(file));
  // Until the request shows which of the two is public, either may be the private key.
  let hide = hiding(keys.privateKey, keys.publicKey);
  try {
    const captured = capturedRequest(
      capturedText(await capturedBytes(given.positionals[0])),
      hide.text,
    );
    const subject = recognized(captured, hintsOf(given));
    if (namesPublicKey(subject, keys.publicKey)) hide = hiding(keys.privateKey);
    const { isRight, lines } = explained(subject, {
      keys,
      now: clockOf(given),
      rules: bundledSuite().rules,
    });
    print(shown(lines, hide, terminal(process.stdout, process.env)));
    return isRight ? EXIT.asExpected : EXIT.failures;
  } catch (error) {
    throw hide.error(error);
  }
};

/** Unix seconds, which are a larger number than other options take. */
function clockOf(given: Parsed): number {
  const text = textOption(given, 'now');
  if (text === undefined) return Math.floor(Date.now() / 1000);
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new UsageError(
    `--now ${visible(text)} is not a count of Unix seconds; write digits, as \`date +%s\` does`,
  );
}

function hintsOf(given: Parsed) {
  const dialect = textOption(given, 'dialect');
  const fileHost = textOption(given, 'file-host');
  const bucket = textOption(given, 'bucket');
  return {
    ...(dialect !== undefined && { dialect: dialectNamed(dialect) }),
    ...(fileHost !== undefined && { fileHost: fileHost.replace(/^\./, '') }),
    ...(bucket !== undefined && { bucket }),
  };
}

/** What FILE holds; a URL may stand there itself. */
async function capturedBytes(path: string | undefined): Promise<Uint8Array> {
  const isInput = path === undefined || path === '-';
  if (isInput) {
    if (process.stdin.isTTY) {
      warn('reading the request from the terminal; end it with Ctrl-D\n');
    }
  } else if (/^https?:\/\//i.test(path)) {
    return Buffer.from(path, 'utf8');
  }
  try {
    return isInput ? await bytesOfInput(LARGEST.request) : bytesOfFile(path, LARGEST.request);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${isInput ? 'standard input' : `the file ${visible(path)}`} cannot be read: ${code}; name a file with one captured request, or give it on standard input`,
    );
  }
}

const STYLES: Readonly<Partial<Record<Line['kind'], Style>>> = {
  heading: 'bold',
  right: 'green',
  wrong: 'red',
};

function shown(lines: readonly Line[], hide: Hide, { width, paint }: Terminal): string {
  return lines
    .map(({ kind, text }) => {
      // What is hidden must be hidden before a line break could cut it in two.
      const safe = hide.text(text);
      const indent = /^ */.exec(safe)?.[0] ?? '';
      const laid =
        kind === 'row' ? safe.trimEnd() : wrapped(safe.slice(indent.length), width, indent);
      const style = STYLES[kind];
      return `${style ? paint(style, laid) : laid}\n`;
    })
    .join('');
}
