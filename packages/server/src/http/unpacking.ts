import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault } from '@mem-service/contract';
import type { FastifyRequest } from 'fastify';
import { AccountTurns } from '../kernel/index.ts';

const unzip = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** How many packed bodies of an account may wait while another is read. */
const MAX_WAITING = 16;

/**
 * Reads bodies that may be packed. A few bytes may unpack to many, so an unpacked body may be half as large as one sent as
 * it is, and an account has one unpacked at a time.
 */
export class Unpacking {
  readonly #maxBytes: number;
  readonly #turns = new AccountTurns(MAX_WAITING, 'packed bodies');

  constructor(maxBodyBytes: number) {
    this.#maxBytes = Math.floor(maxBodyBytes / 2);
  }

  async read<T>(request: FastifyRequest, body: Buffer, read: (bytes: Buffer) => T | Promise<T>): Promise<T> {
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding === 'identity') return read(body);
    if (encoding !== 'gzip')
      throw new Fault('unsupported_media_type', `send the body as it is or in gzip, not in ${encoding}`);
    return this.#turns.run(request.identity.account_id, async () => read(await this.#unpack(body)));
  }

  async #unpack(body: Buffer): Promise<Buffer> {
    try {
      return await unzip(body, { maxOutputLength: this.#maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        throw new Fault('body_too_large', `the body has more than ${this.#maxBytes} bytes once it is unpacked`, {
          max_unpacked_bytes: this.#maxBytes,
        });
      throw new Fault('invalid_request', 'the body is not valid gzip');
    }
  }
}
