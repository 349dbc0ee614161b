// The story of story.ts, told with the client that oapi-codegen makes of the document without a configuration.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"reflect"

	"story/waymark"
)

const many = 120

func expect(what string, found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		log.Fatalf("%s: %v instead of %v", what, found, wanted)
	}
}

// must returns the response of a call that reached the server.
func must[R any](response *R, err error) *R {
	if err != nil {
		log.Fatal(err)
	}
	return response
}

func main() {
	url, token, name := os.Args[1], os.Args[2], "go"
	ctx := context.Background()
	send := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Prefer", "handling=strict")
		return nil
	}
	client, err := waymark.NewClientWithResponses(url, waymark.WithRequestEditorFn(send))
	if err != nil {
		log.Fatal(err)
	}
	me := must(client.GetAuthMeWithResponse(ctx)).JSON200.Data
	expect("account", me.Username, "admin")
	expect("role", me.Role, waymark.Role("admin"))

	// Links: one, the same request again, many, pages.
	code, title, key := name+"/first", "First", "story-of-go"
	body := waymark.NewLink{Code: &code, Target: "https://example.com/", Title: &title}
	once := &waymark.CreateLinkParams{IdempotencyKey: &key}
	link := must(client.CreateLinkWithResponse(ctx, once, body)).JSON201.Data
	again := must(client.CreateLinkWithResponse(ctx, once, body))
	expect("replayed", again.HTTPResponse.Header.Get("Idempotent-Replayed"), "true")
	expect("replayed link", again.JSON201.Data.Id, link.Id)
	var links []map[string]any
	for at := range many {
		target := fmt.Sprintf("https://example.com/%d", at)
		links = append(links, map[string]any{"code": fmt.Sprintf("%s/%d", name, at), "target": target, "tags": []string{name}})
	}
	var batch waymark.PostLinksBatchJSONRequestBody
	text, _ := json.Marshal(map[string]any{"links": links})
	if err := json.Unmarshal(text, &batch); err != nil {
		log.Fatal(err)
	}
	made := must(client.PostLinksBatchWithResponse(ctx, &waymark.PostLinksBatchParams{}, batch)).JSON200.Data
	expect("failed", len(made.Failed), 0)
	found, cursor, size, tags := map[string]bool{}, "", 50, []string{name}
	for {
		page := must(client.ListLinksWithResponse(ctx, &waymark.ListLinksParams{Tag: &tags, Cursor: &cursor, PageSize: &size})).JSON200
		for _, one := range page.Data {
			found[one.Code] = true
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	expect("links by cursor", len(found), many)

	// A change on condition, and refusals with their types.
	tag := must(client.GetLinkWithResponse(ctx, link.Code, nil)).HTTPResponse.Header.Get("ETag")
	change := func(title string) *waymark.PatchLinkResponse {
		params := &waymark.PatchLinkParams{IfMatch: &tag}
		return must(client.PatchLinkWithResponse(ctx, link.Code, params, waymark.LinkPatch{Title: &title}))
	}
	expect("title", *change("Second").JSON200.Data.Title, "Second")
	expect("condition", change("Third").HTTPResponse.StatusCode, 412)
	lost := must(client.GetLinkWithResponse(ctx, name+"/absent", nil)).JSON404
	expect("lost", lost.Error, waymark.Failure404Error("LinkNotFound"))

	// Numbers.
	from, to, unit := "2026-01-01", "2026-12-31", waymark.TimeUnit("month")
	params := &waymark.GetAnalyticsTrendsParams{StartDate: &from, EndDate: &to, GroupBy: &unit}
	trend := must(client.GetAnalyticsTrendsWithResponse(ctx, params)).JSON200.Data
	expect("months", []int{len(trend.Labels), len(trend.Values)}, []int{12, 12})
	expect("clicks", must(client.GetLinkAnalyticsWithResponse(ctx, link.Code, nil)).JSON200.Data.TotalClicks, 0)

	// A file in a folder, its bytes, and a share.
	folder := must(client.CreateFolderWithResponse(ctx, nil, waymark.NewFolder{Name: name})).JSON201.Data
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, _ := writer.CreateFormFile("file", "hello.txt")
	part.Write([]byte("hello"))
	writer.Close()
	into := int64(folder.Id)
	upload := must(client.CreateFilesUploadWithBodyWithResponse(
		ctx, &waymark.CreateFilesUploadParams{FolderId: &into}, writer.FormDataContentType(), &form,
	)).JSON201.Data
	expect("file", []any{upload.Name, upload.Size}, []any{"hello.txt", 5})
	expect("bytes", string(must(client.GetFileDownloadWithResponse(ctx, upload.Id, nil)).Body), "hello")
	expires := "1d"
	share := must(client.CreateFileShareWithResponse(ctx, upload.Id, nil, waymark.NewShare{ExpiresAt: &expires})).JSON201.Data
	expect("ended", must(client.DeleteShareWithResponse(ctx, share.Code, nil)).HTTPResponse.StatusCode, 200)
	fmt.Println("told")
}
