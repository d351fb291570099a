/**
 * Highlights comments, strings and keywords in code.
 *
 * @module
 */
import { type Html, html } from '../../reference/server/pages/html.ts';

interface Syntax {
  readonly comment: string;
  readonly string: string;
  readonly keywords: string;
}

const C_COMMENT = String.raw`\/\*[\s\S]*?\*\/|\/\/[^\n]*`;
const HASH_COMMENT = String.raw`(?<![\w$&?])#[^\n]*`;
const QUOTED = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;

const SHELL: Syntax = {
  comment: HASH_COMMENT,
  string: QUOTED,
  keywords:
    'npx|npm|node|curl|openssl|python3|printf|if|then|fi|for|do|done|case|esac|function|local',
};
const JAVASCRIPT: Syntax = {
  comment: C_COMMENT,
  string: `${QUOTED}|${'`'}[^${'`'}]*${'`'}`,
  keywords:
    'import|from|export|default|const|let|function|return|if|else|for|of|in|throw|new|async|await|type|interface|readonly|satisfies|as|null|undefined|true|false|switch|case',
};
const C_LIKE: Syntax = {
  comment: `${C_COMMENT}|${HASH_COMMENT}`,
  string: QUOTED,
  keywords:
    'package|import|func|type|struct|var|const|return|if|else|for|range|nil|static|final|private|public|record|class|new|throw|throws|void|boolean|int|string|error|null|true|false|switch|case|fn|let|mut|pub|use|impl|match|function|echo|require|namespace|include|char|using|struct',
};

/** Every language that the pages show, by the word after a code fence. */
const SYNTAXES: Readonly<Record<string, Syntax>> = {
  typescript: JAVASCRIPT,
  ts: JAVASCRIPT,
  js: JAVASCRIPT,
  python: {
    comment: HASH_COMMENT,
    string: `"""[\\s\\S]*?"""|${QUOTED}`,
    keywords:
      'def|return|for|in|if|else|elif|not|and|or|import|from|as|class|raise|try|except|with|while|lambda|pass|None|True|False|yield|is',
  },
  ruby: {
    comment: HASH_COMMENT,
    string: QUOTED,
    keywords:
      'def|end|class|module|raise|return|do|if|else|nil|true|false|require|require_relative',
  },
  go: C_LIKE,
  java: C_LIKE,
  rust: C_LIKE,
  php: C_LIKE,
  c: C_LIKE,
  cpp: C_LIKE,
  sh: SHELL,
  bash: SHELL,
  yaml: { comment: HASH_COMMENT, string: '(?!)', keywords: 'true|false|null' },
};

const PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries(SYNTAXES).map(([language, { comment, string, keywords }]) => [
    language,
    new RegExp(`(${comment})|(${string})|(?<![\\w$.-])(${keywords})(?![\\w-])`, 'g'),
  ]),
);

/** Elements without classes: the site has fifty thousand of them, and a limit in megabytes. */
function mark(text: string, comment: string | undefined, string: string | undefined): Html {
  if (comment !== undefined) return html`<em>${text}</em>`;
  return string === undefined ? html`<b>${text}</b>` : html`<u>${text}</u>`;
}

/** The code as HTML. Code in a language without a syntax here is not highlighted. */
function highlight(language: string, code: string): Html {
  const pattern = PATTERNS.get(language);
  if (!pattern) return html`${code}`;
  const pieces: Html[] = [];
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const [text, comment, string] = match;
    pieces.push(html`${code.slice(at, match.index)}${mark(text, comment, string)}`);
    at = match.index + text.length;
  }
  return html`${pieces}${code.slice(at)}`;
}

/** A block of code. Keyboards can scroll it; `page.js` adds a button that copies it. */
export function codeBlock(language: string, code: string): Html {
  return html`<pre class="code" tabindex="0"><code>${highlight(language, code)}</code></pre>`;
}
