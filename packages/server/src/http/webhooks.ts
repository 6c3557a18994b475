import { createHash } from 'node:crypto';
import { Fault, operations, shapes } from '@mem-service/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { variablePrefix } from '../config-connectors.ts';
import type { ConnectorHost, DeliveryName, LoadedConnector, RawDelivery } from '../connectors/types.ts';
import { type Caller, type Kernel, SELF_HOSTED_ACCOUNT } from '../kernel/index.ts';
import { answer } from './answer.ts';
import { type Authenticate, type KeyIdentity, presentedBy } from './auth.ts';
import type { RequestMetering } from './metering.ts';
import { readPayload, takeBytes } from './webhook-body.ts';
import { isFromThisMachine, keptHeaders, signedHeaders } from './webhook-headers.ts';

export type WebhookOptions = {
  connectors: ConnectorHost;
  /** Keys in headers. */
  authenticate: Authenticate;
  /** Keys in addresses. */
  authenticateAddress: Authenticate;
  metering: Pick<RequestMetering, 'countRequest'>;
  hosted: boolean;
};

declare module 'fastify' {
  interface FastifyRequest {
    connector: LoadedConnector | undefined;
  }
}

const OPERATION = 'webhooks.receive';
const PATH = '/api/v1/webhooks/:connector';

/**
 * Deliveries of other systems. What a sender signed is checked before anything of it is read; the signature stands for a
 * key where there is one account, and the address or a header has one where there are many.
 */
export function addWebhooks(server: FastifyInstance, kernel: Kernel, options: WebhookOptions): void {
  server.register((scope, _, done) => {
    scope.decorateRequest('connector', undefined);
    takeBytes(scope, ({ connector }) => connector?.manifest.webhook.max_payload_bytes ?? 0);
    const admit = async (request: FastifyRequest): Promise<void> => {
      request.operation = OPERATION;
      request.identity = await identityOf(request, options);
      await options.metering.countRequest(request.identity);
      request.connector = connectorOf(request, options.connectors);
    };
    const receive = (request: FastifyRequest, reply: FastifyReply) => receiveDelivery(kernel, request, reply);
    for (const url of [PATH, `${PATH}/:token`])
      scope.route({ method: 'POST', url, onRequest: admit, handler: receive });
    // With its own refusal: another would name the address, and so the key in it.
    scope.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE'],
      url: `${PATH}/:token`,
      exposeHeadRoute: false,
      onRequest: async () => {
        throw new Fault('method_not_allowed', 'this route takes POST', { allow: ['POST'] });
      },
      handler: async () => undefined,
    });
    done();
  });
}

type WebhookParams = { connector: string; token?: string };

async function identityOf(request: FastifyRequest, options: WebhookOptions): Promise<KeyIdentity> {
  const { token } = request.params as WebhookParams;
  const presented = presentedBy(request);
  if (token !== undefined)
    return options.authenticateAddress({ key: token, address: presented.address, isInAddress: true });
  if (presented.key !== undefined) return options.authenticate(presented);
  if (options.hosted)
    throw new Fault(
      'unauthenticated',
      'deliver to an address with a key (create one of the type webhook), or send the key as X-MEM-API-Key',
    );
  return { account_id: SELF_HOSTED_ACCOUNT, actor: 'webhook' };
}

function connectorOf(request: FastifyRequest, { connectors }: ConnectorHost): LoadedConnector {
  const { connector: name } = request.params as WebhookParams;
  const found = connectors.get(name);
  const { connector: allowed } = request.identity.key ?? {};
  // An address is for one connector, and shows nothing of others.
  if (found && (allowed === undefined || allowed === name)) return found;
  throw new Fault('connector_not_found', `there is no connector ${JSON.stringify(name.slice(0, 64))}`);
}

async function receiveDelivery(kernel: Kernel, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const connector = request.connector as LoadedConnector;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const delivery: RawDelivery = { body, headers: signedHeaders(request.headers) };
  const now = kernel.services.clock.now();
  const secrets = request.identity.secretsAt?.(now) ?? connector.secrets;
  requireConfigured(connector, request, secrets);
  if (secrets.length > 0) await requireSignature(connector, delivery, { secrets, now });
  const payload = await readPayload(request, body);
  const challenge = await ask(connector, connector.reply(payload));
  if (challenge !== undefined) return reply.header('cache-control', 'no-store').send(challenge);
  const { name } = connector.manifest;
  const input = {
    connector: name,
    ...tidyName(await ask(connector, connector.identify(payload, delivery)), body),
    payload,
    headers: keptHeaders(delivery.headers, connector.manifest.webhook.signature_header),
  };
  const output = await kernel.invoke(OPERATION, input, callerFor(request, name));
  return answer(reply, operations[OPERATION], output).answer;
}

/** A connector that fails is no failure of the service: the sender tries again. */
async function ask<T>({ manifest: { name } }: LoadedConnector, answered: Promise<T>): Promise<T> {
  try {
    return await answered;
  } catch (error) {
    if (error instanceof Fault) throw error;
    const fault = new Fault('unavailable', `the connector ${name} failed`, { connector: name });
    fault.cause = { why: (error as Error).message };
    throw fault;
  }
}

function requireConfigured(
  { manifest, unsigned, missing_variables }: LoadedConnector,
  request: FastifyRequest,
  secrets: readonly string[],
) {
  const isAdmitted =
    secrets.length > 0 || (unsigned && isFromThisMachine(request.socket.remoteAddress, request.headers));
  const missing = [...(isAdmitted ? [] : [`${variablePrefix(manifest.name)}SECRET`]), ...missing_variables];
  if (missing.length === 0) return;
  const isInAddress = request.identity.key?.connector !== undefined;
  const orOwnSecret = isInAddress && !isAdmitted ? ', or the key in the address a secret of its own' : '';
  throw new Fault(
    'connector_not_configured',
    `the connector ${manifest.name} is not configured: the service needs ${missing.join(', ')}${orOwnSecret}`,
    { connector: manifest.name, missing_variables: missing },
  );
}

type SignedBy = { secrets: readonly string[]; now: number };

async function requireSignature(connector: LoadedConnector, delivery: RawDelivery, by: SignedBy): Promise<void> {
  const { signature_header } = connector.manifest.webhook;
  const signed = await ask(connector, connector.isSigned(delivery, by.now, by.secrets));
  if (signed === true) return;
  const isThere = delivery.headers[signature_header.toLowerCase()] !== undefined;
  const why = isThere ? `${signature_header} does not fit the body and the secret` : `${signature_header} is missing`;
  throw new Fault('invalid_signature', typeof signed === 'string' ? signed : why);
}

const eventType = shapes.label(256);
const deliveryId = shapes.label(8192);
/** Nearly all names are of this form, and need no schema. */
const PLAIN_NAME = /^[\w.:-]{1,200}$/;

/** A name that cannot be stored is replaced by its hash, so that a repeated delivery still has the same. */
function tidyName({ event_type, id }: DeliveryName, body: Buffer): DeliveryName {
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
  const isSound = (name: unknown, schema: typeof eventType) =>
    (typeof name === 'string' && PLAIN_NAME.test(name)) || schema.safeParse(name).success;
  return {
    event_type: isSound(event_type, eventType) ? event_type : 'generic',
    id: isSound(id, deliveryId) ? id : hash(typeof id === 'string' && id !== '' ? JSON.stringify(id) : body),
  };
}

function callerFor(request: FastifyRequest, name: string): Caller {
  const { ip, id } = request;
  const { secretsAt: _, ...identity } = request.identity;
  return { agent_id: `webhook/${name}`, session_id: null, address: ip, request_id: id, ...identity };
}
