{{- define "waymark.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "waymark.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "waymark.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "waymark.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "waymark.secret" -}}
{{- .Values.secrets.existingSecret | default (include "waymark.name" .) -}}
{{- end -}}

{{/* A value of the Secret, or nothing where it has no such key. */}}
{{- define "waymark.fromSecret" -}}
valueFrom: { secretKeyRef: { name: {{ include "waymark.secret" .root }}, key: {{ .key }}, optional: true } }
{{- end -}}

{{/* The text of a value. Helm reads numbers as floating ones, which it would write as 1e+07. */}}
{{- define "waymark.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{/* A word for the shell. */}}
{{- define "waymark.word" -}}
{{- printf "'%s'" (include "waymark.text" . | replace "'" "'\\''") -}}
{{- end -}}

{{/* What a node and its set-up have in common. */}}
{{- define "waymark.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  {{- with .Values.files.existingClaim }}
  - { name: files, mountPath: /data/files }
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "waymark.environment" -}}
- name: WAYMARK__DATABASE__URL
  {{- include "waymark.fromSecret" (dict "root" . "key" "database-url") | nindent 2 }}
- name: WAYMARK__STORAGE__SECRET_KEY
  {{- include "waymark.fromSecret" (dict "root" . "key" "secret-key") | nindent 2 }}
{{- if .Values.redis.enabled }}
- { name: WAYMARK__CACHE__TYPE, value: redis }
- name: WAYMARK__CACHE__REDIS_URL
  {{- include "waymark.fromSecret" (dict "root" . "key" "redis-url") | nindent 2 }}
{{- end }}
- { name: WAYMARK__HEALTH__OPEN_PROBES, value: ready }
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ include "waymark.text" $value | quote }} }
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "waymark.validate" -}}
{{- $secrets := .Values.secrets -}}
{{- $named := $secrets.existingSecret -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- if not (or $named $secrets.databaseUrl) -}}
{{- fail "Several nodes need a database server: set secrets.databaseUrl, or secrets.existingSecret with the key database-url." -}}
{{- end -}}
{{- if not (or .Values.s3.enabled .Values.files.existingClaim) -}}
{{- fail "Several nodes need one place for files: set s3.enabled, or files.existingClaim to a claim with ReadWriteMany." -}}
{{- end -}}
{{- end -}}
{{- if and (or .Values.s3.enabled (gt (int .Values.replicas) 1)) (not (or $named $secrets.secretKey)) -}}
{{- fail "Set secrets.secretKey to 64 hexadecimal digits (openssl rand -hex 32): it opens the keys of S3, and all nodes need the same." -}}
{{- end -}}
{{- if and .Values.redis.enabled (not (or $named $secrets.redisUrl)) -}}
{{- fail "Set secrets.redisUrl, or secrets.existingSecret with the key redis-url." -}}
{{- end -}}
{{- if .Values.s3.enabled -}}
{{- if not (and .Values.s3.endpoint .Values.s3.bucket) -}}
{{- fail "Set s3.endpoint and s3.bucket." -}}
{{- end -}}
{{- if not (or $named (and $secrets.s3AccessKey $secrets.s3SecretKey)) -}}
{{- fail "Set secrets.s3AccessKey and secrets.s3SecretKey, or secrets.existingSecret with the keys s3-access-key and s3-secret-key." -}}
{{- end -}}
{{- end -}}
{{- end -}}
