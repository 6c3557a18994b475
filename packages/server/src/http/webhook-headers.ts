import type { IncomingHttpHeaders } from 'node:http';
import { isLocalHost } from './local-only.ts';

type Headers = Readonly<Record<string, string>>;

/** Headers of the service itself and of browsers: a connector never sees them, also to check a signature. */
const OURS = /^(x-mem-|proxy-|cookie)/;

/** What checks of signatures see. A bearer token is a key of this service. */
export function signedHeaders(headers: IncomingHttpHeaders): Headers {
  const seen: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OURS.test(name)) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (name === 'authorization' && /^bearer\b/i.test(text)) continue;
    seen[name] = text;
  }
  return seen;
}

/** Signatures, credentials, and what connections and proxies need. */
const NOT_KEPT =
  /auth|signature|token|secret|password|api-?key|credential|cookie|session|^(host|connection|keep-alive|te|trailer|upgrade|expect|transfer-encoding|content-length|accept.*|origin|referer|via|forwarded|sec-.*|x-forwarded-.*|x-real-ip|true-client-ip|x-client-ip|x-cluster-client-ip|cf-.*|x-amzn-.*|x-envoy-.*|x-b3-.*|traceparent|tracestate|x-request-id)$/;

/** What a transform sees, and what is kept of a delivery that has none. */
export function keptHeaders(headers: Headers, signatureHeader: string): Headers {
  const signature = signatureHeader.toLowerCase();
  const kept: Record<string, string> = {};
  for (const name of Object.keys(headers)) if (name !== signature && isKept(name)) kept[name] = headers[name] as string;
  return kept;
}

/** Senders repeat the names of their headers. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 1000;
const MAX_KNOWN_CHARS = 64;

function isKept(name: string): boolean {
  let kept = known.get(name);
  if (kept === undefined) {
    kept = !NOT_KEPT.test(name);
    if (known.size < MAX_KNOWN && name.length <= MAX_KNOWN_CHARS) known.set(name, kept);
  }
  return kept;
}

/** Set by proxies, on behalf of another machine. */
const FORWARDED =
  /^(forwarded|via|x-forwarded|x-forwarded-.*|x-real-ip|(.*-)?client-ip|cf-.*|x-original-.*|x-envoy-.*|x-amzn-trace-id|x-arr-log-id|x-appengine-user-ip|x-proxyuser-ip|x-azure-clientip)$/;
/** Set by browsers, which send what a page makes them send. */
const BROWSED = /^(origin|sec-fetch-site)$/;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;

/** Whether a program of this machine sent the request itself. */
export const isFromThisMachine = (address: string | undefined, headers: IncomingHttpHeaders): boolean =>
  address !== undefined &&
  LOOPBACK.test(address) &&
  isLocalHost(headers.host) &&
  !Object.keys(headers).some((name) => FORWARDED.test(name) || BROWSED.test(name));
