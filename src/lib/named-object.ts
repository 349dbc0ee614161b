import { z } from "zod";

/** A schema whose name in the OpenAPI document is `id`. */
export const namedObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).register(z.globalRegistry, { id });
