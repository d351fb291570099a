/**
 * Names and addresses that mean this machine, and nothing else.
 *
 * @module
 */

/** 127.0.0.0/8, ::1 and the name that means them; an IPv6 address may have brackets. */
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?|localhost)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
