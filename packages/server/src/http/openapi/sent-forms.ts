import type { JsonObject, Operation } from '@mem-service/contract';

/** A delivery is what its sender makes it; the input of the operation is made of it. */
export const deliveryBody = ({ payload }: JsonObject): JsonObject => ({
  required: true,
  content: {
    'application/json': {
      schema: { description: 'What the sender sends, signed in the header that the connector names.' },
      example: payload,
    },
    'application/x-www-form-urlencoded': {
      schema: { type: 'object', description: 'The same in the field `payload`, or the fields themselves.' },
    },
  },
});

const text = (description: string): JsonObject => ({ type: 'string', minLength: 1, description });

const CLOUD_EVENT = {
  type: 'object',
  description:
    'A CloudEvent 1.0. In binary mode its attributes are in headers (`ce-id` and so on), and its data is the body.',
  required: ['specversion', 'id', 'source', 'type'],
  properties: {
    specversion: { type: 'string', const: '1.0' },
    id: text('Becomes the `id` of the event.'),
    source: text('Becomes its `source`: a URI without its scheme.'),
    type: text('Becomes its `event_type`.'),
    subject: text(
      '`a/b/c` becomes the path `a/b` and the key `c`; without a slash, the key at the path of the source.',
    ),
    time: { type: 'string', format: 'date-time', description: 'Becomes `occurred_at`.' },
    datacontenttype: text('The type of the data.'),
    data: { description: 'Becomes the value. Any JSON value.' },
    data_base64: text('Data that is no JSON, in Base64.'),
  },
} as const;

/** For an operation that takes CloudEvents: one, or a batch. */
export const cloudEventForms = ({ http }: Operation): JsonObject =>
  http.cloud_events
    ? {
        'application/cloudevents+json': { schema: CLOUD_EVENT },
        'application/cloudevents-batch+json': { schema: { type: 'array', items: CLOUD_EVENT } },
      }
    : {};
