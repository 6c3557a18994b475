import type { Config } from './config.ts';

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/** What decides who can use a server. */
export type ServerAccess = {
  /** Whether only this machine can connect. */
  loopback: boolean;
  needsKey: boolean;
  /** Origins of web pages that may read the answers; `*` is any. */
  origins: readonly string[];
};

/** For this machine only: on loopback, and closed to pages of other origins. */
export const localOnly = (config: Config): Config => {
  const { host, corsOrigins } = config.http;
  const http = {
    ...config.http,
    host: isLoopback(host) ? host : '127.0.0.1',
    corsOrigins: corsOrigins.filter((origin) => origin !== '*'),
    localOnly: true,
  };
  return { ...config, http };
};

export const admissionOf = ({ http, apiKeys, hosted }: Config): ServerAccess => ({
  loopback: isLoopback(http.host),
  needsKey: hosted || apiKeys.length > 0,
  origins: http.corsOrigins,
});

/** MEM_API_KEY is what a client sends: a server that was given only this would ask nobody for it, without a word. */
export const keyOfClientOnly = (config: Config): string | undefined =>
  config.client.apiKey !== undefined && !admissionOf(config).needsKey
    ? 'MEM_API_KEY is what clients send, and mem serve does not read it: it asks for no key. Set MEM_API_KEYS to require one'
    : undefined;

/** In one line, for people: who can read and write. */
export function describeAdmission({ loopback, needsKey, origins }: ServerAccess): string {
  const programs = loopback ? 'every program on this machine' : 'every machine that can reach this one';
  const pages = origins.includes('*')
    ? 'every web page in a browser here'
    : origins.length > 0
      ? `web pages of ${origins.join(', ')}`
      : '';
  const all = [programs, pages].filter(Boolean).join(' and ');
  if (needsKey) return `${all}, with a key`;
  if (loopback && pages === '') return `${all}; no web page of another origin`;
  return `${all}, without a key. Only this machine: mem serve --local`;
}
