// Prepares package.json, README.md and the guides for `npm publish`: everything that names the repository comes from SVC_REPOSITORY.
//
//   SVC_REPOSITORY=https://github.com/OWNER/svc-conformance node .ci/release.mjs v0.1.0 [FOLDER]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [tag = '', folder = '.'] = process.argv.slice(2);
const repository = (process.env.SVC_REPOSITORY ?? '').replace(/\/+$/, '');

/** A link of Markdown to a file of the repository; an exclamation mark before it makes a picture of it. */
const RELATIVE_LINK = /(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)/g;

/** The action, with the version that a guide pins. */
const ACTION = /\bOWNER\/svc-conformance(@v[\d.]+)?/g;

function fail(why) {
  process.stderr.write(`release: ${why}\n`);
  process.exit(2);
}

const [, action] = /^https:\/\/[^/]+\/([\w.-]+\/[\w.-]+)$/.exec(repository) ?? [];
if (action === undefined)
  fail(`SVC_REPOSITORY ${JSON.stringify(repository)} is no https://HOST/OWNER/NAME; set it`);
const manifestPath = join(folder, 'package.json');
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
if (tag !== `v${manifest.version}`)
  fail(`the tag ${JSON.stringify(tag)} is not v${manifest.version}, the version in package.json`);

/** The address of the site, which the release workflow publishes to GitHub Pages; elsewhere there is none. */
function findSite() {
  const [, user, project] = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)$/.exec(repository) ?? [];
  return user === undefined ? undefined : `https://${user.toLowerCase()}.github.io/${project}/`;
}

const { name, version, description, license, ...rest } = manifest;
const links = {
  repository: { type: 'git', url: `git+${repository}.git` },
  // Reports link to the pages of the site; a homepage without a slash at its end is no site.
  homepage: findSite() ?? `${repository}#readme`,
  bugs: { url: `${repository}/issues` },
};
const prepared = { name, version, description, license, ...links, ...rest, ...links };
writeFileSync(manifestPath, `${JSON.stringify(prepared, null, 2)}\n`);

function rewrite(path, change) {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

// npm shows the page of a version for ever, so its links lead to the files of that version; a picture, to the file itself.
rewrite(join(folder, 'README.md'), (text) =>
  text.replaceAll(
    RELATIVE_LINK,
    (_, mark, label, path) =>
      `${mark}${label}(${repository}/${mark ? 'raw' : 'blob'}/${tag}/${path})`,
  ),
);
const guides = join(folder, 'docs', 'guides');
for (const name of readdirSync(guides)) {
  rewrite(join(guides, name), (text) =>
    text.replaceAll(ACTION, (_, version) => (version ? `${action}@${tag}` : action)),
  );
}
process.stdout.write(`package.json, README.md and the guides name ${repository} and ${tag}\n`);
