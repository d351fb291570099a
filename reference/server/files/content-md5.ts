/**
 * Content-MD5: what a client says that its bytes are.
 *
 * @module
 */
import type { Content } from '../store/store.ts';
import { badRequest, refusal } from './refusal.ts';

/**
 * The MD5 that was announced, in lower-case hexadecimal.
 *
 * The service's pages have 32 hexadecimal digits; RFC 1864 has Base64 of 16 bytes, which is taken as well.
 */
export function announcedMd5(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  if (/^[A-Za-z0-9+/]{22}==$/.test(text)) return Buffer.from(text, 'base64').toString('hex');
  throw badRequest(
    `Content-MD5 is ${JSON.stringify(text)}; it has to be 32 hexadecimal digits or Base64 of 16 bytes`,
  );
}

/** Throws where other bytes came than were announced. */
export function checkMd5({ md5 }: Pick<Content, 'md5'>, announced: string | undefined): void {
  if (announced === undefined || announced === md5) return;
  throw refusal(
    'badDigest',
    `Content-MD5 says ${announced}, the bytes that came have ${md5}; nothing is kept`,
  );
}
