/**
 * Converts Markdown of the repository to HTML of the site.
 *
 * @module
 */
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { type Html, raw } from '../../reference/server/pages/html.ts';
import { codeBlock } from './highlight.ts';

/** The addresses of repository files on the site. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'README.md': '/guides/',
  'RESULTS.md': '/results/',
  'adapters/PROTOCOL.md': '/reference/protocol/',
  'vectors/rules.yaml': '/spec/',
};

/** The address of a link; undefined for a file that the site does not show. */
function addressOf(href: string, folder: string): string | undefined {
  if (/^[a-z]+:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  if (path === '') return anchor === undefined ? undefined : `#${anchor}`;
  const target = posix.normalize(posix.join(folder, path));
  const schema = /^schema\/(\w+)\.schema\.json$/.exec(target)?.[1];
  const guide = /^docs\/guides\/([\w-]+)\.md$/.exec(target)?.[1];
  if (guide !== undefined) return `/guides/${guide}/${anchor === undefined ? '' : `#${anchor}`}`;
  return schema === undefined ? ADDRESSES[target] : `/reference/schemas/${schema}/`;
}

/** A line of Markdown, such as a sentence with code in it. */
export const renderInline = (text: string): Html =>
  raw(new Marked().parseInline(text, { async: false }));

/** The anchor of a heading, as GitHub makes it. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|&[a-z#0-9]+;/g, '')
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

/**
 * @param folder the folder of the file, for its links; a link to a file without an address becomes plain text
 * @param shift the number of levels by which headings are moved down
 */
export function renderMarkdown(text: string, folder: string, shift = 0): Html {
  const anchors = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => slug(title)));
  const marked = new Marked({
    renderer: {
      code: ({ text: code, lang = '' }: Tokens.Code) => codeBlock(lang, code).html,
      heading({ tokens, depth, text: title }) {
        const level = Math.min(6, depth + shift);
        return `<h${level} id="${slug(title)}">${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      link({ href, tokens }) {
        const address = addressOf(href, folder);
        const content = this.parser.parseInline(tokens);
        const isMissing = address?.startsWith('#') && !anchors.has(address.slice(1));
        const target = isMissing ? undefined : address;
        return target === undefined ? content : `<a href="${target}">${content}</a>`;
      },
      table(token: Tokens.Table) {
        const cell = (tag: string, own: Tokens.TableCell): string =>
          `<${tag}>${this.parser.parseInline(own.tokens)}</${tag}>`;
        const head = token.header.map((own) => cell('th', own)).join('');
        const rows = token.rows.map(
          (row) => `<tr>${row.map((own) => cell('td', own)).join('')}</tr>`,
        );
        return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
      },
    },
  });
  return raw(marked.parse(text, { async: false }));
}
