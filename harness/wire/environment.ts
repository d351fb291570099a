/**
 * The environment that points a client at the server, whichever of the ways to it the client knows.
 *
 * @module
 */
import type { BucketSeed } from '../../reference/server/options.ts';
import type { RunningServer } from '../serve/start.ts';

/** Nothing is asked of anybody else: whoever goes through a proxy goes through this server. */
const PROXIES = [
  'http_proxy',
  'HTTP_PROXY',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
];

/** The variables of a client, those of this process among them. */
export function clientEnvironment(
  { url, port, keys }: RunningServer,
  buckets: readonly BucketSeed[],
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { JAVA_TOOL_OPTIONS: java = '', ...others } = inherited;
  return {
    ...others,
    ...Object.fromEntries(PROXIES.map((name) => [name, url])),
    no_proxy: '',
    NO_PROXY: '',
    JAVA_TOOL_OPTIONS: [java, ...javaOptions(port)].join(' ').trim(),
    SVC_ENDPOINT: url,
    SVC_API_URL: `${url}/`,
    SVC_FILE_HOST: `files.localhost:${port}`,
    SVC_BUCKET: buckets[0]?.name ?? '',
    SVC_BUCKETS: buckets.map(({ name }) => name).join(','),
    SVC_PUBLIC_KEY: keys.publicKey,
    SVC_PRIVATE_KEY: keys.privateKey,
  };
}

/** Java reads no variables about proxies. */
function javaOptions(port: number): readonly string[] {
  return [
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort=${port}`,
    ]),
    '-Dhttp.nonProxyHosts=',
  ];
}
