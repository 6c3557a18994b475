import type { Output } from '@mem-service/contract';
import type { ModelProbe } from '../../inspect.ts';
import { reasonText } from '../render/index.ts';
import { type Check, failure, ok, warning } from './check.ts';

/** Whether the servers of models that the settings name can be used. */
export const checkModels = (probes: readonly ModelProbe[]): Check[] => probes.map(checkModel);

function checkModel(probe: ModelProbe): Check {
  const { what, address, model, took_ms, timeout_ms, dimensions, cut_to } = probe;
  const prefix = `MEM_${what.toUpperCase()}`;
  const name = model === '' ? address : `${model} at ${address}`;
  if (probe.failure) {
    const { reason, detail, server_text } = probe.failure;
    return failure(what, `${name}: ${detail}${server_text ? ` (${server_text})` : ''}`, cureOf(reason, prefix));
  }
  if (took_ms > timeout_ms)
    return warning(
      what,
      `${name} took ${took_ms} ms, and a question waits ${timeout_ms} ms`,
      `keep the model loaded, or raise ${prefix}_TIMEOUT_MS: questions do without it until then`,
    );
  if (cut_to !== undefined && dimensions !== undefined && cut_to < dimensions)
    return warning(
      what,
      `${name} makes vectors of ${dimensions} dimensions, which are cut to ${cut_to}`,
      `unset ${prefix}_DIMENSIONS unless the model was trained for shorter vectors (Matryoshka)`,
    );
  const of = dimensions === undefined ? '' : `, ${dimensions} dimensions`;
  return ok(what, `${name}${of}, answered in ${took_ms} ms`);
}

/** What compares meaning on a server, by its answer to a question. */
export function checkEmbedderOf({ embedder, fallback }: Output<'entries.retrieve'>['index']): Check {
  if (!fallback) return ok('embedder', embedder ?? 'off: questions are answered by words alone');
  const { from, reason, progress } = fallback;
  const made = progress === undefined ? '' : `, ${Math.floor(100 * progress)}% of its vectors are made`;
  const instead = `${embedder ?? 'nothing'} compares meaning instead`;
  if (reason === 'building') return ok('embedder', `${from}${made}; until then ${instead}`);
  return warning(
    'embedder',
    `${from} of the server${made}: ${reasonText(reason)}; ${instead}`,
    'run mem doctor where the server runs, with its variables, and look at mem consumers',
  );
}

type Reason = NonNullable<ModelProbe['failure']>['reason'];

function cureOf(reason: Reason, prefix: string): string {
  if (reason === 'refused') return `correct ${prefix}_URL, ${prefix}_MODEL or ${prefix}_KEY`;
  if (reason === 'limited') return 'wait, or ask the provider for a higher limit';
  if (reason === 'bad_answer') return `correct ${prefix}_URL and ${prefix}_MODEL: it must speak that protocol`;
  return `start the server, or correct ${prefix}_URL`;
}
