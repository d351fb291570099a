/**
 * Updates command outputs in Markdown.
 *
 * A block of the language `console` after the comment `<!-- output -->` starts with a command, and its other lines are what the
 * command prints. `<!-- output: CAUSE -->` keeps the first paragraph that starts with this word, and marks what is left out.
 *
 * @module
 */

const BLOCK =
  /(<!-- output(?:: (.+?))? -->\n```console\n\$ npx svc-conformance ([^\n]*)\n)[\s\S]*?(```)/g;

/** The text with updated outputs. */
export async function renewOutputs(
  text: string,
  run: (line: string) => Promise<string>,
): Promise<string> {
  const pieces: string[] = [];
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    const [block, head = '', start, line = '', tail = ''] = match;
    const output = cutOutput(await run(line), start, line);
    pieces.push(text.slice(end, match.index), head, output, tail);
    end = match.index + block.length;
  }
  return pieces.join('') + text.slice(end);
}

const LEFT_OUT = '…\n';

function cutOutput(output: string, start: string | undefined, line: string): string {
  const paragraphs = output.trimEnd().split(/\n{2,}/);
  if (start === undefined) return `${paragraphs.join('\n\n')}\n`;
  const at = paragraphs.findIndex((paragraph) => paragraph.startsWith(start));
  if (at < 0) throw new Error(`no paragraph of the output of ${line} starts with ${start}`);
  const isLast = at === paragraphs.length - 1;
  return `${at > 0 ? LEFT_OUT : ''}${paragraphs[at]}\n${isLast ? '' : LEFT_OUT}`;
}
