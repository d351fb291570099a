/**
 * The page of the playground, and its script, which is bundled from `site/playground`.
 *
 * @module
 */
import { rolldown } from 'rolldown';
import { packagePath } from '../../harness/suite/package-root.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { html, raw } from '../../reference/server/pages/html.ts';
import type { SiteData } from './data.ts';
import { codeBlock } from './highlight.ts';
import type { Page } from './page.ts';
import { writeBelow } from './write.ts';

/** The Content-Security-Policy: the page may not open any connection. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src blob:; connect-src 'none'; form-action 'self'; base-uri 'none'";

type Stages = Readonly<Record<string, readonly string[]>>;

const FILE_STAGES: Stages = {
  canonicalHeaders: [
    '5.2/headers-selected',
    '5.2/headers-lower-case',
    '5.2/headers-sorted',
    '5.2/headers-merged',
    '5.2/headers-unfolded',
    '5.2/headers-line-feed',
  ],
  canonicalResource: ['5.2/resource', '5.2/resource-raw'],
  stringToSign: ['5.2/verb', '5.2/positional-order', '5.2/positional-absent', '5.2/utf-8'],
  digest: ['5.2/hmac-sha1'],
  signature: ['5.2/standard-base64'],
  authorization: ['5.2/header-form'],
  encodedSignature: ['5.4/signature-encoded'],
  url: ['5.4/parameters', '5.4/path-encoded', '4.3/host'],
  target: ['4.3/instant-upload-target'],
  publicKey: ['5/match-accepted', '5/mismatch-refused'],
};

const ACTION_STAGES: Stages = {
  sortedParameters: ['5.1/sort-bytes', '5.1/signature-excluded', '5.1/flattening'],
  stringToSign: ['5.1/concatenation', '5.1/unescaped', '5.1/private-key-last'],
  signature: ['5.1/sha1', '5.1/hexadecimal'],
  query: ['4.2/query-pairs', '4.2/query-signature-last', '5.3/names-and-values'],
  body: ['4.2/json-members', '4.2/json-numbers'],
  target: ['4.1/get-root', '4.1/all-in-query'],
  publicKey: ['5/match-accepted', '5/mismatch-refused'],
};

/** The stages whose rules differ between operations. */
const OWN: Readonly<Record<string, Stages>> = {
  'url-encode': { encoded: ['5.3/unreserved', '5.3/escaped', '5.3/upper-case', '5.3/utf-8'] },
  password: { value: ['4.2/password-base64', '4.2/password-utf-8'] },
  policy: { policy: ['5.2/policy-text'] },
  'policy-authorization': {
    stringToSign: ['5.2/policy-signed', '5.2/verb', '5.2/positional-order'],
    authorization: ['5.2/policy-header', '5.2/header-form'],
  },
  'form-authorization': {
    stringToSign: ['4.3/form-content-type', '4.3/form-content-md5', '4.3/form-key'],
  },
  'instant-upload': { canonicalResource: ['4.3/instant-upload-resource', '5.2/resource-raw'] },
  'presigned-url': { stringToSign: ['5.4/expires-position', '5.4/empty-positions', '5.2/verb'] },
  'verify-presigned-url': {
    stringToSign: ['5.4/expires-position', '5.4/empty-positions', '5.2/verb'],
    publicKey: ['5/match-accepted', '5.4/expiry', '5.4/plus-literal'],
  },
  etag: {
    blockCount: ['2/etag-blocks', '2/etag-mebibyte'],
    digest: ['2/etag-small', '2/etag-large'],
    etag: ['2/etag-layout', '2/etag-url-safe'],
  },
  'part-etag': { digest: ['2/etag-part'], etag: ['2/etag-part', '2/etag-url-safe'] },
};

/** The rules of each stage, by operation. */
function stageRules(): Readonly<Record<string, Stages>> {
  const rows = Object.entries(OPERATIONS).map(([name, { stages }]) => {
    const usual = stages.includes('sortedParameters') ? ACTION_STAGES : FILE_STAGES;
    const own = stages.map((stage) => [stage, OWN[name]?.[stage] ?? usual[stage] ?? []] as const);
    return [name, Object.fromEntries(own)] as const;
  });
  return Object.fromEntries(rows);
}

export function playgroundPage({ suite }: Pick<SiteData, 'suite'>): Page {
  const keys = new Map(suite.vectors.map(({ keys: own }) => [JSON.stringify(own), own]));
  const data = {
    rules: suite.rules.map(({ id, level, text }) => ({ id, level, text })),
    testKeys: [...keys.values()].filter(({ publicKey }) => publicKey !== ''),
    stages: stageRules(),
  };
  // Inside a script element, only "<" can end the data.
  const json = raw(JSON.stringify(data).replaceAll('<', '\\u003c'));
  return {
    path: '/playground/',
    title: 'Playground',
    summary: 'Sign a request in the browser, or find the mistake in a signature that you got.',
    kind: 'playground',
    head: html`<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`,
    body: html`<h1>Playground</h1>
<p class="lead">Build a request or paste one. Every stage of its signature is shown while you type; enter the signature that you got, and the page names the mistake. Nothing leaves this page.</p>
<noscript><p>The playground needs JavaScript. This command gives the same explanation:</p>${codeBlock('sh', 'npx svc-conformance explain request.txt --keys keys.yaml')}</noscript>
<div id="playground" data-pagefind-ignore></div>
<script type="application/json" id="playground-data">${json}</script>
<script src="/playground/playground.js" defer></script>`,
  };
}

/** Writes the script of the page, which its workers also run. */
export async function writePlayground(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: packagePath('site/playground/page.ts'),
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  writeBelow(folder, 'playground/playground.js', output[0].code);
}
